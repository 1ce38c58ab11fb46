import { useRef, useState } from 'preact/hooks';
import { Annotate, annotateIn, Listed, notesIn, useAnnotating } from '../annotations/annotating';
import { go, linkTo } from '../../shared/address';
import { ChartTable } from './chart-table';
import { figureIn, FIGURES, secondFigureIn } from './figures';
import { dayText, spanText } from '../../shared/format';
import { Lines } from './drawing/lines';
import { pointOf } from './points';
import { type Span, type Unit, unitFor, unitsFor } from '../../shared/ranges';
import type { Bucket } from './series';
import { SecondMenu } from './second-menu';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import './chart.css';

interface Props {
  address: URLSearchParams;
  reading: Reading;
  /** Undefined until they are known. */
  buckets: Bucket[] | undefined;
  unit: Unit;
  span: Span | undefined;
  /** How many days earlier the compared range begins. */
  back: number | undefined;
  /** The description of the compared range, once it is known. */
  compared: string | undefined;
  timezone: string;
  isLoading: boolean;
}

/** One figure over time, with the compared range behind it, a second figure if one is chosen, and a table of all. */
export function Chart(props: Props) {
  const { address, reading, buckets = [], unit, span, back, compared, timezone, isLoading } = props;
  const [isTableShown, setTableShown] = useState(false);
  const takesFocus = useRef(false);
  const figure = FIGURES[figureIn(address)];
  const secondName = secondFigureIn(address);
  const second = secondName && FIGURES[secondName];
  const annotating = useAnnotating({ access: reading.annotations, span, isLoading, timezone });
  const notes = notesIn(annotating, buckets);
  const drawn = { unit, figure, second, back };
  const points = buckets.map((bucket, index) => pointOf(bucket, drawn, notes[index]!));
  const hasPrevious = points.some(({ before = 0 }) => before > 0);
  const isKnown = points.some(({ now }) => now !== undefined);
  const pick = (first: number, last: number) => {
    const [from, to] = [buckets[first]!.from, buckets[last]!.to];
    if (from !== span!.from || to !== span!.to) go({ range: 'custom', from, to, by: undefined });
  };
  return (
    <div class="chart">
      <div class="legend quiet">
        <span class="key now">{span && texts.chart.legend(figure.text, spanText(span.from, span.to))}</span>
        {hasPrevious && compared && <span class="key earlier compared">{compared}</span>}
        <div class="legend-tools">
          <SecondMenu address={address} second={secondName} />
          <Units chosen={unit} span={span} hasHours={reading.isOwner} />
        </div>
      </div>
      <div class="plot">
        {span && isKnown ? (
          <Lines
            {...{ points, figure, second, hasPrevious, takesFocus }}
            mayOpen={span.from !== span.to}
            label={texts.chart.summary(figure.text, dayText(span.from), dayText(span.to))}
            onPick={pick}
            onAnnotated={annotateIn(annotating, buckets)}
          />
        ) : (
          <NoLines isLoading={isLoading || buckets.length === 0} />
        )}
      </div>
      <div class="chart-foot">
        <details onToggle={({ currentTarget }) => setTableShown(currentTarget.open)}>
          <summary>{texts.chart.asTable}</summary>
          {isTableShown && props.buckets && span && <ChartTable {...{ buckets, unit, span }} />}
        </details>
        <Annotate annotating={annotating} span={span} />
      </div>
      <Listed annotating={annotating} />
    </div>
  );
}

function NoLines({ isLoading }: Pick<Props, 'isLoading'>) {
  return isLoading ? <span class="bone plot-bone" /> : <p class="nothing quiet">–</p>;
}

interface UnitsProps {
  chosen: Unit;
  span: Span | undefined;
  hasHours: boolean;
}

function Units({ chosen, span, hasHours }: UnitsProps) {
  const units = span ? unitsFor(span, hasHours) : [];
  if (units.length < 2 || !span) return null;
  return (
    <span class="units" role="group" aria-label={texts.chart.units}>
      {units.map((unit) => (
        <a
          key={unit}
          {...linkTo({ by: unit === unitFor(span, hasHours) ? undefined : unit })}
          aria-current={unit === chosen ? 'true' : undefined}
        >
          {texts.chart[unit]}
        </a>
      ))}
    </span>
  );
}
