import { go } from '../../shared/address';
import { Change, shownChange } from './change';
import type { Comparison } from '../comparison';
import { FIGURE_NAMES, type FigureName, figureIn, FIGURES, secondFigureIn } from './figures';
import { comparedText, sinceText } from '../../shared/format';
import type { Counts } from './series';
import { texts } from '../../shared/texts';
import './figures.css';

interface Props {
  address: URLSearchParams;
  now: Counts;
  /** Undefined if nothing is compared. */
  comparison: Comparison | undefined;
  /** The first day with visitors, if the compared range begins before it. */
  comparedSince: string | undefined;
  /** Tells whether that has the same weekdays. */
  isComparable: boolean;
  timezone: string;
  isLoading: boolean;
}

/** The figures of a range. The pressed one is drawn. */
export function FiguresRow(props: Props) {
  const { address, now, comparison, comparedSince, isComparable, timezone, isLoading } = props;
  const drawn = figureIn(address);
  const second = secondFigureIn(address);
  const hasEarlier = comparison && FIGURE_NAMES.some((name) => FIGURES[name].of(comparison.before));
  const title = comparison && (hasEarlier ? comparedText(comparison, timezone) : texts.noComparison);
  return (
    <div class="figures" role="group" aria-label={texts.figures.label} title={title}>
      {FIGURE_NAMES.map((name) => (
        <button
          key={name}
          class={name === second ? 'figure with-second' : 'figure'}
          aria-pressed={name === drawn}
          onClick={() => go(figureChange(name, second))}
        >
          <span class="name" title={texts.figures.meanings[name]}>
            {FIGURES[name].text}
          </span>
          <Sum {...{ name, now, isLoading }} />
          <span class="change">
            {comparison && <Compared {...{ name, now, comparison, comparedSince, isComparable }} />}
          </span>
        </button>
      ))}
    </div>
  );
}

/** The drawn figure is not drawn a second time. */
function figureChange(name: FigureName, second: FigureName | undefined) {
  return {
    metric: name === FIGURE_NAMES[0] ? undefined : name,
    ...(name === second && { second: undefined }),
  };
}

function Sum({ name, now, isLoading }: { name: FigureName; now: Counts; isLoading: boolean }) {
  const figure = FIGURES[name];
  const value = figure.of(now);
  if (value === undefined && isLoading) return <span class="bone figure-bone" />;
  return (
    <span class="sum" title={value === undefined ? texts.unknown : figure.write(value)}>
      {value === undefined ? '–' : figure.writeShort(value)}
    </span>
  );
}

interface ComparedProps extends Pick<Props, 'now' | 'comparedSince' | 'isComparable'> {
  name: FigureName;
  comparison: Comparison;
}

/** In whole days, both values cover fewer days than the shown one. */
function Compared({ name, now: shown, comparison, comparedSince, isComparable }: ComparedProps) {
  const { now, before, days } = comparison;
  const figure = FIGURES[name];
  const [value, earlier] = [figure.of(now), figure.of(before)];
  const isNothing = earlier === undefined || (earlier === 0 && !before.visits);
  if (figure.of(shown) === undefined || value === undefined || isNothing) return null;
  if (comparedSince !== undefined) return <span class="quiet">{texts.since(sinceText(comparedSince))}</span>;
  if (days && !shownChange({ figure, value, before: earlier })) return null;
  return (
    <>
      <Change {...{ figure, value, isComparable }} before={earlier} />
      <span class="quiet">{days ? texts.inWholeDays : texts.before(figure.writeShort(earlier))}</span>
    </>
  );
}
