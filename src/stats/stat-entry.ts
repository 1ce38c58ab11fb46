import type { StatEntryView } from './dto/stats.view';
import { entriesOf, type EntryName } from './listed-names';

/** An entry of a name, with the count of the compared range if there is one. */
export function entryOf(
  name: EntryName,
  value: string,
  count: number,
  previousCount?: number,
): StatEntryView {
  const entry = { value, label: entriesOf(name).label(value), count };
  return previousCount === undefined ? entry : { ...entry, previous_count: previousCount };
}
