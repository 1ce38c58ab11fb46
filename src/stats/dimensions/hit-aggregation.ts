import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Filter } from '../../../engine/questions/parse/filter';
import type { Zone } from '../../../engine/questions/plan/buckets';
import type { HitQuery, Range } from '../../../engine/questions/plan/hit-query';
import type { Aggregation, TestedValues } from '../../../engine/questions/plan/aggregation';
import type { CountedMetric } from '../../../engine/questions/plan/metrics';
import {
  ALWAYS,
  type Counted,
  type Dimension,
  daysOf,
  NEVER,
  NotInSql,
  Statement,
  type UnreadValues,
} from './dimension';
import { dimensionOf } from './dimensions';

/** The sums of each metric over the selected rows. */
const SUMS: Partial<Record<CountedMetric, { counted: Counted; sum: string }>> = {
  pageviews: { counted: 'hits', sum: 'SUM(CASE WHEN hit.event IS NULL THEN 1 ELSE 0 END)' },
  events: { counted: 'hits', sum: 'COUNT(hit.event)' },
  value_high: { counted: 'hits', sum: sumOfValues('value_high') },
  value_low: { counted: 'hits', sum: sumOfValues('value_low') },
  visitors: { counted: 'visitors', sum: 'COUNT(*)' },
  visits: { counted: 'visits', sum: 'COUNT(*)' },
  bounces: { counted: 'visits', sum: 'SUM(counted.visit_bounce)' },
  seconds: { counted: 'visits', sum: 'SUM(counted.visit_seconds)' },
};

/** The sum is a text, because it may exceed a number. */
function sumOfValues(column: string): string {
  return `CAST(SUM(COALESCE(hit.${column}, 0)) AS CHAR)`;
}

type Query = SelectQueryBuilder<ObjectLiteral>;

/**
 * The statements that count a query over one of its ranges: one each for hits, visits and visitors, as far as the
 * metrics need them. Throws `NotInSql` if SQL cannot count the query as the hits in memory are counted.
 */
export function aggregationsOf(
  source: DataSource,
  hitQuery: HitQuery,
  range: Range,
  zone: Zone,
): Aggregation[] {
  if (hitQuery.goals) throw new NotInSql('goals');
  return (['hits', 'visits', 'visitors'] as const).flatMap((counted) => {
    const metrics = hitQuery.metrics.filter((metric) => SUMS[metric]?.counted === counted);
    return metrics.length > 0
      ? new HitAggregation(source, hitQuery, range, zone, counted).write(metrics)
      : [];
  });
}

/** A query with the statements that count it. Without them, if SQL cannot count it. */
export function withStatements(source: DataSource, hitQuery: HitQuery, zone: Zone): HitQuery {
  const { range, previous } = hitQuery;
  const over = (own: Range) => aggregationsOf(source, hitQuery, own, zone);
  try {
    return { ...hitQuery, statements: { range: over(range), previous: previous && over(previous) } };
  } catch (error) {
    if (error instanceof NotInSql) return hitQuery;
    throw error;
  }
}

class HitAggregation {
  private readonly statement = new Statement();
  private readonly dimensions: Dimension[];

  constructor(
    private readonly source: DataSource,
    private readonly hitQuery: HitQuery,
    private readonly range: Range,
    private readonly zone: Zone,
    private readonly counted: Counted,
  ) {
    this.dimensions = hitQuery.dimensions.map((name) => dimensionOf(name, range, zone, this.statement));
  }

  write(metrics: CountedMetric[]): Aggregation {
    const query = this.counted === 'hits' ? this.ofHits() : this.ofOthers();
    for (const metric of metrics) query.addSelect(SUMS[metric]!.sum, metric);
    if (metrics.includes('value_high'))
      query.addSelect('MIN(hit.currency)', 'first_currency').addSelect('MAX(hit.currency)', 'last_currency');
    const [sql, parameters] = this.written(query);
    return {
      sql,
      parameters: parameters.map((own) => (typeof own === 'object' ? this.tested(own) : own)),
      metrics,
    };
  }

  private tested({ expression, ...tested }: UnreadValues): TestedValues {
    const query = this.empty()
      .distinct()
      .select(`(${expression})`, 'value')
      .from('hits', 'own')
      .where(daysOf('own'));
    const [sql, parameters] = this.written(query);
    return { ...tested, sql, parameters };
  }

  private written(query: Query): [sql: string, parameters: (string | number | UnreadValues)[]] {
    return query.setParameters(this.statement.parameters).getQueryAndParameters();
  }

  private empty(): Query {
    return this.source.createQueryBuilder().select([]) as Query;
  }

  private ofHits(): Query {
    const query = this.selected(this.empty());
    for (const [index, dimension] of this.dimensions.entries())
      query.addSelect(dimension.valueOf('hit', 'hits'), `value_${index}`).addGroupBy(`value_${index}`);
    return query;
  }

  /** Each visit or visitor counts once for each of its values. */
  private ofOthers(): Query {
    const query = this.empty().from((inner: Query) => this.distinct(inner), 'counted');
    for (const index of this.dimensions.keys())
      query.addSelect(`counted.value_${index}`, `value_${index}`).addGroupBy(`counted.value_${index}`);
    return query;
  }

  private distinct(inner: Query): Query {
    const areVisits = this.counted === 'visits';
    const columns = areVisits
      ? ['day', 'visitor', 'visit', 'visit_bounce', 'visit_seconds']
      : ['day', 'visitor'];
    const query = this.selected(inner.select([]).distinct()).andWhere('hit.is_known = 1');
    if (areVisits) query.andWhere('hit.visit_seconds IS NOT NULL');
    for (const column of columns) query.addSelect(`hit.${column}`, column);
    for (const [index, dimension] of this.dimensions.entries())
      query.addSelect(this.valueIn(query, dimension, index), `value_${index}`);
    return query;
  }

  private valueIn(query: Query, dimension: Dimension, index: number): string {
    const { valuesOfVisitors } = dimension;
    // In parentheses, because TypeORM mixes the aliases of a column of an entity that is selected twice.
    if (this.counted === 'visits' || !valuesOfVisitors) return `(${dimension.valueOf('hit', this.counted)})`;
    const own = `brought_${index}`;
    query.leftJoin(`(${valuesOfVisitors})`, own, `${own}.day = hit.day AND ${own}.visitor = hit.visitor`);
    return `${own}.value`;
  }

  private selected(query: Query): Query {
    const { moments } = this.range;
    const { filter } = this.hitQuery;
    query.from('hits', 'hit').where(daysOf('hit'));
    if (moments) query.andWhere(`hit.at BETWEEN ${moments.from} AND ${moments.to}`);
    if (filter) query.andWhere(this.passes(filter, 'hit'));
    return query;
  }

  private passes(filter: Filter, hit: string): string {
    switch (filter.kind) {
      case 'all':
      case 'any': {
        const conditions = filter.of.map((own) => this.passes(own, hit));
        if (conditions.length === 0) return filter.kind === 'all' ? ALWAYS : NEVER;
        return `(${conditions.join(filter.kind === 'all' ? ' AND ' : ' OR ')})`;
      }
      case 'not':
        return `NOT (${this.passes(filter.of, hit)})`;
      case 'ever':
        return `(${hit}.day, ${hit}.visitor) IN ${this.statement.visitorsWith((own) => this.passes(filter.of, own))}`;
      case 'days':
        return `(${hit}.day >= ${filter.from}${filter.to === null ? '' : ` AND ${hit}.day <= ${filter.to}`})`;
      case 'test':
        return `(${dimensionOf(filter.name, this.range, this.zone, this.statement).has(hit, filter)})`;
    }
  }
}
