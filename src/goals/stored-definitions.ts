import type { Queryable } from '../../engine/database/rows';
import type { FilterJson, ResolvedFilter } from '../../engine/questions/parse/filter';
import {
  type FiltersByName,
  type GoalDefinition,
  isResolved,
  resolve,
  type WebsiteDefinitions,
} from './resolution';

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

export async function readDefinitions(reader: Queryable, websiteId: number): Promise<WebsiteDefinitions> {
  const rowsOf = <R extends Row>(columns: string, table: string) =>
    reader.query<R[]>(`SELECT ${columns} FROM ${table} WHERE website_id = ? ORDER BY name`, [websiteId]);
  return {
    goals: (await rowsOf<GoalRow>('name, filters, value, currency', 'goals')).map(
      (row) => new StoredGoal(row),
    ),
    saved: new StoredFilters(await rowsOf('name, filters', 'saved_filters')),
  };
}

/** The filters that the website's shared page is limited to, as they are stored. Undefined if it is not limited. */
export async function readShared(reader: Queryable, websiteId: number): Promise<FilterJson[] | undefined> {
  const [shared] = await reader.query<Pick<Row, 'filters'>[]>(
    'SELECT filters FROM saved_filters WHERE website_id = ? AND shared = 1',
    [websiteId],
  );
  return shared && (JSON.parse(shared.filters) as FilterJson[]);
}

/** The filters that the shared page is limited to, with what their goals and saved filters stand for. */
export async function readPageFilters(
  reader: Queryable,
  websiteId: number,
): Promise<ResolvedFilter[] | undefined> {
  const shared = await readShared(reader, websiteId);
  if (!shared || isResolved(shared)) return shared;
  return resolve(shared, await readDefinitions(reader, websiteId), 'filter');
}
