import { go } from '../../shared/address';
import type { Comparison } from '../comparison';
import { FIGURE_NAMES, type Figure, figureIn, FIGURES } from './figures';
import { changeOf, comparedText } from '../../shared/format';
import { Now } from '../live/live';
import type { Counts } from './series';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';

const ARROWS = { up: '↑', down: '↓', same: '→' };

interface Props {
  address: URLSearchParams;
  now: Counts;
  /** Undefined if nothing is compared. */
  comparison: Comparison | undefined;
  timezone: string;
  isLoading: boolean;
  reading: Reading;
}

/** The figures of a range. The pressed one is drawn. */
export function FiguresRow({ address, now, comparison, timezone, isLoading, reading }: Props) {
  const drawn = figureIn(address);
  const title = comparison && comparedText(comparison, timezone);
  return (
    <div class="figures" role="group" aria-label={texts.figures.label}>
      {FIGURE_NAMES.map((name) => {
        const figure = FIGURES[name];
        const value = figure.of(now);
        return (
          <button
            key={name}
            class="figure"
            aria-pressed={name === drawn}
            onClick={() => go({ metric: name === FIGURE_NAMES[0] ? undefined : name })}
          >
            <span class="name">{figure.text}</span>
            {value === undefined && isLoading ? (
              <span class="bone figure-bone" />
            ) : (
              <span class="sum" title={value === undefined ? texts.unknown : figure.write(value)}>
                {value === undefined ? '–' : figure.writeShort(value)}
              </span>
            )}
            <span class="change" title={title}>
              {value !== undefined && comparison && <ChangeText {...{ figure, comparison }} />}
            </span>
          </button>
        );
      })}
      <Now address={address} reading={reading} />
    </div>
  );
}

interface ChangeProps {
  figure: Figure;
  comparison: Comparison;
}

function ChangeText({ figure, comparison: { now, before, days } }: ChangeProps) {
  const [value, earlier] = [figure.of(now), figure.of(before)];
  const change = value === undefined ? undefined : changeOf(value, earlier);
  if (!change || earlier === undefined) return <span class="quiet">{texts.noComparison}</span>;
  const isBetter = (change.direction === 'down') === figure.isBetterLow;
  const tone = change.direction === 'same' ? 'same' : isBetter ? 'better' : 'worse';
  return (
    <span>
      <b class={tone}>
        <span aria-hidden="true">{ARROWS[change.direction]} </span>
        {change.text}
      </b>{' '}
      <span class="quiet">{days ? texts.inWholeDays : texts.before(figure.writeShort(earlier))}</span>
    </span>
  );
}
