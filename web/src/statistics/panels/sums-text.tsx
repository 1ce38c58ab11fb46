import { shortSumText, sumText } from '../../shared/format';
import type { Sum } from './sums';
import { texts } from '../../shared/texts';

interface Props {
  sums: readonly Sum[] | undefined;
}

/** The number of sums that fit beside a name, on a wide and on a narrow screen. */
const SHOWN = [
  { most: 2, screen: 'of-wide' },
  { most: 1, screen: 'of-narrow' },
];

/** Sums side by side: different currencies are never added up. */
export function Sums({ sums = [] }: Props) {
  return (
    <span class="sums">
      {sums.map((sum, index) => [index > 0 && ' · ', <span key={sum.currency}>{sumText(sum)}</span>])}
    </span>
  );
}

/** The first sums, and the number of further ones. */
export function ShortSums({ sums = [] }: Props) {
  return (
    <span class="sums">
      {SHOWN.map(({ most, screen }) => (
        <span key={screen} class={screen}>
          {sums.slice(0, most).map(shortSumText).join(' · ')}
          {sums.length > most && <span class="quiet"> {texts.moreSums(sums.length - most)}</span>}
        </span>
      ))}
    </span>
  );
}
