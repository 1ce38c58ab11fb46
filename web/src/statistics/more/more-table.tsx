import { go } from '../../shared/address';
import { toneOf } from '../range-to-compare';
import { changeOf, numberText, shareText } from '../../shared/format';
import type { Listing, Order } from './listing';
import { described, isMerged } from '../../shared/names';
import { largestOf, mergedLast } from '../panels/entries';
import type { Entry } from '../page-answer';
import { type Figure, FIGURES, type FigureName } from '../chart/figures';
import type { Counts } from '../chart/series';
import type { Details } from './details';
import type { Reading } from '../reading';
import type { SumsByValue } from '../panels/sums';
import { Sign } from '../../shared/sign';
import { Sums } from '../panels/sums-text';
import { texts } from '../../shared/texts';
import { Value } from '../panels/value';
import { regionOf } from '../../shared/language/value-labels';

interface Props {
  listing: Listing;
  /** Tells whether it is compared with the same weekdays. */
  isComparable: boolean;
  heading: string;
  entries: Entry[];
  sums: SumsByValue;
  figures: readonly FigureName[];
  details: Details | undefined;
  now: Counts;
  reading: Reading;
}

export function MoreTable(props: Props) {
  const { listing, heading, entries, sums, figures } = props;
  const { name, order, compares } = listing;
  if (entries.length === 0) return <p class="nothing quiet">{texts.more.nothing}</p>;
  const largest = largestOf(entries);
  return (
    <table>
      <thead>
        <tr>
          <Column order="value" chosen={order} text={heading} />
          {sums.size > 0 && (
            <th scope="col" class="of-sums">
              {texts.value}
            </th>
          )}
          <Column order="count" chosen={order} text={texts.counts[described(name).counts]} />
          {figures.map((figure) => (
            <th key={figure} scope="col" class="of-details" title={texts.figures.meanings[figure]}>
              {FIGURES[figure].text}
            </th>
          ))}
          <th scope="col" class="of-wide">
            {texts.share}
          </th>
          {compares && <th scope="col">{texts.change}</th>}
        </tr>
      </thead>
      <tbody>
        {mergedLast(entries).map((entry) => (
          <Row key={entry.value} {...props} {...{ entry, largest }} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Props {
  entry: Entry;
  largest: number;
}

function Row({ entry, largest, listing, isComparable, sums, figures, details, now, reading }: RowProps) {
  const { value, count, previous } = entry;
  const { name, automatic, filters, compares } = listing;
  const whole = now[described(name).counts];
  const change = changeOf(count, previous);
  return (
    <tr class={isMerged(value) ? 'quiet' : undefined}>
      <th scope="row">
        {!isMerged(value) && <span class="bar" style={{ '--part': count / largest }} />}
        <Value {...{ name, value, automatic, filters, reading }}>
          {name === 'city' && <span class="region quiet">{regionOf(value)}</span>}
        </Value>
      </th>
      {sums.size > 0 && (
        <td>
          <Sums sums={sums.get(value)} />
        </td>
      )}
      <td>{numberText(count)}</td>
      {figures.map((figure) => (
        <td key={figure} class="of-details">
          {details && figureText(FIGURES[figure], details.get(value))}
        </td>
      ))}
      <td class="of-wide quiet">{whole === undefined ? '' : shareText(count, whole)}</td>
      {compares && <td class={toneOf(change, isComparable)}>{change?.text ?? '–'}</td>}
    </tr>
  );
}

function figureText({ of, write }: Figure, counts: Counts = {}): string {
  const value = of(counts);
  return value === undefined ? '–' : write(value);
}

const DIRECTIONS = { count: 'descending', value: 'ascending' } as const;

function Column({ order, chosen, text }: { order: Order; chosen: Order; text: string }) {
  return (
    <th scope="col" aria-sort={order === chosen ? DIRECTIONS[order] : 'none'}>
      <button
        class="sort"
        aria-label={texts.more.sortBy(text)}
        onClick={() => go({ sort: order === 'count' ? undefined : order, at: undefined }, 'replace')}
      >
        {text} {order === chosen && <Sign name={order === 'count' ? 'down' : 'up'} />}
      </button>
    </th>
  );
}
