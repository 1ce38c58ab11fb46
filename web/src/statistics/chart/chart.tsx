import { useState } from 'preact/hooks';
import { go, linkTo } from '../../shared/address';
import { saveCsv } from '../../shared/api';
import { type Figure, FIGURE_NAMES, figureIn, FIGURES } from './figures';
import { bucketText, dayText, tickText } from '../../shared/format';
import { Lines, type Point } from './lines';
import { type Span, type Unit, unitFor, unitsFor } from '../../shared/ranges';
import type { Bucket } from './series';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';

interface Props {
  address: URLSearchParams;
  reading: Reading;
  /** Undefined until they are known. */
  buckets: Bucket[] | undefined;
  unit: Unit;
  span: Span | undefined;
  /** The description of the compared range, once it is known. */
  compared: string | undefined;
}

/** One figure over time, with the previous period behind it, and a table of both. */
export function Chart({ address, reading, buckets, unit, span, compared }: Props) {
  const [isTableShown, setTableShown] = useState(false);
  const figure = FIGURES[figureIn(address)];
  const points = (buckets ?? []).map((bucket) => pointOf(bucket, unit, figure));
  const hasPrevious = points.some(({ before = 0 }) => before > 0);
  const isKnown = points.some(({ now }) => now !== undefined);
  const pick = (first: number, last: number) => {
    const [from, to] = [buckets![first]!.from, buckets![last]!.to];
    if (from !== span!.from || to !== span!.to) go({ range: 'custom', from, to, by: undefined });
  };
  return (
    <div class="chart">
      <div class="legend quiet">
        <span class="key now">{texts.chart.now}</span>
        {hasPrevious && <span class="key earlier">{texts.chart.earlier}</span>}
        {hasPrevious && compared && <span class="compared">{compared}</span>}
        <Units chosen={unit} span={span} hasHours={reading.isOwner} />
      </div>
      <div class="plot">
        {span && isKnown ? (
          <Lines
            {...{ points, figure, hasPrevious }}
            label={texts.chart.summary(figure.text, dayText(span.from), dayText(span.to))}
            onPick={pick}
          />
        ) : (
          <span class="bone plot-bone" />
        )}
      </div>
      <details onToggle={({ currentTarget }) => setTableShown(currentTarget.open)}>
        <summary>{texts.chart.asTable}</summary>
        {isTableShown && buckets && span && <Table {...{ buckets, unit, span }} />}
      </details>
    </div>
  );
}

function pointOf(bucket: Bucket, unit: Unit, { of }: Figure): Point {
  const text = bucketText(bucket, unit);
  return {
    text: bucket.isOpen ? texts.chart.soFar(text) : text,
    tick: tickText(bucket, unit),
    now: of(bucket.now),
    before: of(bucket.before),
    isOpen: bucket.isOpen === true,
  };
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

interface TableProps {
  buckets: Bucket[];
  unit: Unit;
  span: Span;
}

/** All figures, each beside that of the previous period. */
function Table({ buckets, unit, span }: TableProps) {
  const hasPrevious = buckets.some(({ before }) => (before.visitors ?? 0) > 0);
  const cells = ({ now, before }: Bucket) =>
    FIGURE_NAMES.flatMap((name) => {
      const { of, write } = FIGURES[name];
      const values = hasPrevious ? [of(now), of(before)] : [of(now)];
      return values.map((value) => ({ value, text: value === undefined ? '–' : write(value) }));
    });
  const download = () => {
    const names = FIGURE_NAMES.flatMap((name) => (hasPrevious ? [name, `previous_${name}`] : [name]));
    const lines = buckets.map((bucket) => [
      bucket.hour ?? bucket.from,
      bucket.to,
      ...cells(bucket).map(({ value }) => (value === undefined ? null : Math.round(10_000 * value) / 10_000)),
    ]);
    saveCsv([['from', 'to', ...names], ...lines], `${span.from}-${span.to}.csv`);
  };
  return (
    <>
      <button class="plain" onClick={download}>
        {texts.chart.download}
      </button>
      <div class="scrolls" tabIndex={0} role="region" aria-label={texts.chart.asTable}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.chart.date}</th>
              {FIGURE_NAMES.map((name) => [
                <th scope="col">{FIGURES[name].text}</th>,
                hasPrevious && <th scope="col">{texts.chart.earlier}</th>,
              ])}
            </tr>
          </thead>
          <tbody>
            {buckets.map((bucket, index) => (
              <tr key={index}>
                <th scope="row">{bucketText(bucket, unit)}</th>
                {cells(bucket).map(({ text }) => (
                  <td>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
