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

/** All sums, or the first and how many currencies there are besides. */
export function ShortSums({ sums = [] }: Props) {
  return (
    <span class="sums">
      {SHOWN.map(({ most, screen }) => {
        const shown = sums.length > most ? sums.slice(0, 1) : sums;
        const others = sums.length - shown.length;
        return (
          <span key={screen} class={screen}>
            {shown.map(shortSumText).join(' · ')}
            {others > 0 && <span class="quiet"> {texts.moreSums(others)}</span>}
          </span>
        );
      })}
    </span>
  );
}
