import type { EntityManager } from 'typeorm';
import type { FilterJson, ResolvedFilter } from '../stats/queries/parse/filter';
import { Goal } from './goals/goal.entity';
import type { FiltersByName, GoalDefinition, WebsiteDefinitions } from './resolution';
import { SavedFilter } from './saved-filters/saved-filter.entity';

interface Row {
  name: string;
  filters: string;
}

type GoalRow = Row & Pick<GoalDefinition, 'value' | 'currency'>;

/** A website may have megabytes of filters, and a request needs a few of them, so each is parsed when it is used. */
class StoredGoal implements GoalDefinition {
  readonly name: string;
  readonly value: string | null;
  readonly currency: string | null;
  private parsed: ResolvedFilter[] | undefined;

  constructor(private readonly row: GoalRow) {
    this.name = row.name;
    this.value = row.value;
    this.currency = row.currency;
  }

  get filters(): ResolvedFilter[] {
    return (this.parsed ??= JSON.parse(this.row.filters) as ResolvedFilter[]);
  }
}

class StoredFilters implements FiltersByName {
  private readonly texts: Map<string, string>;
  private readonly parsed = new Map<string, FilterJson[]>();

  constructor(rows: Row[]) {
    this.texts = new Map(rows.map(({ name, filters }) => [name, filters]));
  }

  get(name: string): FilterJson[] | undefined {
    const known = this.parsed.get(name);
    const text = this.texts.get(name);
    if (known || text === undefined) return known;
    const parsed = JSON.parse(text) as FilterJson[];
    this.parsed.set(name, parsed);
    return parsed;
  }

  keys(): Iterable<string> {
    return this.texts.keys();
  }
}

export async function readDefinitions(
  manager: EntityManager,
  websiteId: number,
): Promise<WebsiteDefinitions> {
  const rowsOf = (entity: typeof Goal | typeof SavedFilter) =>
    manager
      .createQueryBuilder()
      .select('own.name', 'name')
      .addSelect('own.filters', 'filters')
      .from(entity, 'own')
      .where('own.website_id = :websiteId', { websiteId })
      .orderBy('own.name');
  const goals = rowsOf(Goal).addSelect('own.value', 'value').addSelect('own.currency', 'currency');
  return {
    goals: (await goals.getRawMany<GoalRow>()).map((row) => new StoredGoal(row)),
    saved: new StoredFilters(await rowsOf(SavedFilter).getRawMany<Row>()),
  };
}
