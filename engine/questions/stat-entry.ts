import { entriesOf, type EntryName } from './listed-names';

/** A value of a name with its count. */
export interface StatEntry {
  value: string;
  label: string;
  count: number;
  previous_count?: number;
}

/** An entry of a name, with the count of the compared range if there is one. */
export function entryOf(name: EntryName, value: string, count: number, previousCount?: number): StatEntry {
  const entry = { value, label: entriesOf(name).label(value), count };
  return previousCount === undefined ? entry : { ...entry, previous_count: previousCount };
}
