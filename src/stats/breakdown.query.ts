import type { EntityManager, SelectQueryBuilder } from 'typeorm';

export interface Breakdown {
  websiteId: number;
  /** The code of the dimension. */
  name: number;
  from: number;
  to: number;
  /** Folded text that the folded value or its stored label has to contain. */
  search?: string | undefined;
  /** Values that match the search by a label that only the code knows. */
  alsoMatching: number[];
}

type Select = SelectQueryBuilder<Record<string, unknown>>;

/** One row for each value: what it is and how often it was counted in the range. */
export function sumsQuery(manager: EntityManager, breakdown: Breakdown): Select {
  const { websiteId, name, from, to, search } = breakdown;
  const counters = manager
    .createQueryBuilder()
    .select('counter.value_id', 'value_id')
    .addSelect('SUM(counter.hits)', 'hits')
    .from('stat_counters', 'counter')
    .where('counter.website_id = :websiteId AND counter.name = :name')
    .andWhere('counter.day BETWEEN :from AND :to')
    .groupBy('counter.value_id');
  const sums: Select = manager
    .createQueryBuilder()
    .from(`(${counters.getQuery()})`, 'sums')
    .innerJoin(
      'stat_values',
      'entry',
      'entry.website_id = :websiteId AND entry.name = :name AND entry.value_id = sums.value_id',
    )
    .setParameters({ websiteId, name, from, to });
  return search === undefined ? sums : sums.where(matching(breakdown), { search: Buffer.from(search) });
}

export function totalsQuery(manager: EntityManager, breakdown: Breakdown): Select {
  return sumsQuery(manager, breakdown).select('COUNT(*)', 'total').addSelect('SUM(sums.hits)', 'sum');
}

export function entriesQuery(
  manager: EntityManager,
  breakdown: Breakdown,
  order: { by: 'count' | 'value'; direction: 'ASC' | 'DESC' },
): Select {
  const entries = sumsQuery(manager, breakdown).select('entry.value', 'value').addSelect('sums.hits', 'hits');
  return order.by === 'value'
    ? entries.orderBy('entry.value', order.direction)
    : entries.orderBy('sums.hits', order.direction).addOrderBy('entry.value', 'ASC');
}

/** The values of a dimension, for labels that only the code knows. */
export function valuesQuery(manager: EntityManager, websiteId: number, name: number): Select {
  return manager
    .createQueryBuilder()
    .select('entry.value_id', 'value_id')
    .addSelect('entry.value', 'value')
    .from('stat_values', 'entry')
    .where('entry.website_id = :websiteId AND entry.name = :name', { websiteId, name });
}

function matching({ alsoMatching }: Breakdown): string {
  const conditions = ['INSTR(entry.folded, :search) > 0', 'INSTR(entry.folded_label, :search) > 0'];
  if (alsoMatching.length > 0) conditions.push(`entry.value_id IN (${alsoMatching.map(Number).join(', ')})`);
  return `(${conditions.join(' OR ')})`;
}
