import { COLUMNS_OF_VISITORS } from '../hits/hit-columns';
import { NUMBERS, OPTIONAL_NUMBERS, ROW_COLUMNS } from '../rows/row-tables';

/*
 * The table has a row for each hit of the days that moved, with the columns of `hits` (`engine/rows/row-tables.ts`), but
 * for these:
 *
 *   day, at, visit_at   a Date, and moments in UTC
 *   property_names      the names of the properties, in the order of the event
 *   property_values     their values
 */

/** In the order in which they are written. */
export const TABLE_COLUMNS: readonly string[] = [...ROW_COLUMNS, 'property_values'];

const MOMENT = "DateTime('UTC')";
const TYPES: Partial<Record<string, string>> = {
  ...Object.fromEntries(NUMBERS.map((name) => [name, 'UInt32'])),
  ...Object.fromEntries(OPTIONAL_NUMBERS.map((name) => [name, 'Nullable(Int64)'])),
  day: 'Date',
  version: 'UInt64',
  at: MOMENT,
  visit_at: MOMENT,
  property_names: 'Array(String)',
  property_values: 'Array(String)',
};
/** Texts with few values. */
const FEW = new Set<string>(COLUMNS_OF_VISITORS);

export function typeOf(column: string): string {
  return TYPES[column] ?? (FEW.has(column) ? 'LowCardinality(Nullable(String))' : 'Nullable(String)');
}

/** The columns as numbers and texts, as rows of `hits` have them. */
export function readable(column: string): string {
  const type = typeOf(column);
  if (type === MOMENT) return `toUnixTimestamp(${column})`;
  return type === 'Date' ? `toUInt16(${column})` : column;
}

export function creationOf(table: string): string {
  const columns = TABLE_COLUMNS.map((name) => `${name} ${typeOf(name)}`);
  return `CREATE TABLE IF NOT EXISTS ${table} (${columns.join(', ')})
    ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (website, day, visitor, at, place)`;
}

/** The columns that a table of an earlier release lacks. Rows of then have no values for them. */
export function missingColumns(found: ReadonlySet<string>): string[] {
  const isOptional = (name: string) => typeOf(name).includes('Nullable');
  // Another table stays as it is.
  if (!TABLE_COLUMNS.every((name) => isOptional(name) || found.has(name))) return [];
  return TABLE_COLUMNS.filter((name) => !found.has(name));
}
