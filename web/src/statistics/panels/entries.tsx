import type { Filter } from '../filters/filters';
import { numberText, shareText, shortNumberText, sumText } from '../../shared/format';
import { described, isMerged, type Name } from '../../shared/names';
import type { Entry } from '../page-answer';
import type { Counts } from '../chart/series';
import type { Reading } from '../reading';
import type { SumsByValue } from './sums';
import { ShortSums } from './sums-text';
import { texts } from '../../shared/texts';
import type { AutomaticEvent } from './automatic/automatic-events';
import { Value } from './value';

interface Props {
  name: Name;
  /** The event that the values belong to, if it is one. */
  automatic?: AutomaticEvent;
  entries: Entry[];
  sums: SumsByValue;
  now: Counts;
  filters: Filter[];
  reading: Reading;
  /** How many are shown. */
  most: number;
}

/** How many a panel shows by itself; of listed values it shows all. */
export const ENTRIES = 10;

/** The largest entries of a name as bars, with their shares of the range's total, or with the visitors of an event. */
export function Entries({ name, automatic, entries, sums, now, filters, reading, most }: Props) {
  if (entries.length === 0) return <p class="nothing quiet">{texts.empty}</p>;
  const largest = largestOf(entries);
  const whole = now[described(name).counts];
  const areAllShown = described(name).isListed || automatic?.isOfPercents;
  return (
    <ol class="entries">
      {mergedLast(areAllShown ? entries : entries.slice(0, most)).map(({ value, count, visitors }) => (
        <li key={value} class={isMerged(value) ? 'quiet' : undefined}>
          {!isMerged(value) && <span class="bar" style={{ '--part': count / largest }} />}
          <Value
            {...{ name, value, automatic, filters, reading }}
            details={[numberText(count), ...(sums.get(value) ?? []).map(sumText)]}
          />
          {sums.size > 0 && <ShortSums sums={sums.get(value)} />}
          <span class="count">{shortNumberText(count)}</span>
          <span class="part quiet">
            {automatic ? shortNumberText(visitors ?? 0) : whole === undefined ? '' : shareText(count, whole)}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** What stands for many values has no bar, so others are not compared with it. */
export function largestOf(entries: readonly Entry[]): number {
  return Math.max(1, ...entries.map(({ value, count }) => (isMerged(value) ? 0 : count)));
}

export function mergedLast(entries: readonly Entry[]): Entry[] {
  const isLast = ({ value }: Entry) => isMerged(value);
  return [...entries.filter((entry) => !isLast(entry)), ...entries.filter(isLast)];
}

export function Bones({ rows }: { rows: number }) {
  return (
    <div class="entries" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} class="bone" style={{ width: `${92 - 8 * row}%` }} />
      ))}
    </div>
  );
}
