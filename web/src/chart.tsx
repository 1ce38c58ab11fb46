import { go, linkTo } from './address';
import { save, type StatSummary } from './api';
import { type Metric, METRIC_TEXTS, METRICS } from './figures';
import { bucketText, dayText, numberText } from './format';
import { Lines } from './lines';
import { type Bucket, bucketsOf, type Span, type Unit, unitFor, unitsFor } from './ranges';
import { texts } from './texts';

interface Props {
  address: URLSearchParams;
  /** In the order of the metrics. */
  summaries: (StatSummary | undefined)[];
  metric: Metric;
  span: Span | undefined;
}

/** One figure over time, the range before behind it, and both as a table below. */
export function Chart({ address, summaries, metric, span }: Props) {
  const known = summaries.filter((summary) => summary !== undefined);
  const units = span ? unitsFor(span) : [];
  const unit = units.find((one) => one === address.get('by')) ?? (span ? unitFor(span) : 'day');
  const series = known.map(({ entries }) => bucketsOf(entries, span!, unit));
  const drawn = series[METRICS.indexOf(metric)];
  const hasPrevious = known.some(({ previous_sum: previous = 0 }) => previous > 0);
  const pick = (from: string, to: string) => go({ range: 'custom', from, to, by: undefined });
  return (
    <div class="chart">
      <div class="legend quiet">
        <span class="key now">{texts.chart.now}</span>
        {hasPrevious && <span class="key earlier">{texts.chart.earlier}</span>}
        <Units units={units} chosen={unit} span={span} />
      </div>
      <div class="plot">
        {drawn && span ? (
          <Lines
            buckets={drawn}
            unit={unit}
            name={METRIC_TEXTS[metric]}
            hasPrevious={hasPrevious}
            label={texts.chart.summary(METRIC_TEXTS[metric], dayText(span.from), dayText(span.to))}
            onPick={pick}
          />
        ) : (
          <span class="bone plot-bone" />
        )}
      </div>
      <details>
        <summary>{texts.chart.asTable}</summary>
        {drawn && span && <Table series={series} unit={unit} span={span} hasPrevious={hasPrevious} />}
      </details>
    </div>
  );
}

function Units({ units, chosen, span }: { units: Unit[]; chosen: Unit; span: Span | undefined }) {
  if (units.length < 2 || !span) return null;
  return (
    <span class="units" role="group" aria-label={texts.chart.units}>
      {units.map((unit) => (
        <a
          key={unit}
          {...linkTo({ by: unit === unitFor(span) ? undefined : unit })}
          aria-current={unit === chosen ? 'true' : undefined}
        >
          {texts.chart[unit]}
        </a>
      ))}
    </span>
  );
}

interface TableProps {
  series: Bucket[][];
  unit: Unit;
  span: Span;
  hasPrevious: boolean;
}

/** So long a table would be no help, and slow. */
const MAX_ROWS = 400;

function Table({ series, unit, span, hasPrevious }: TableProps) {
  const coarser: Unit = (series[0]?.length ?? 0) > MAX_ROWS ? 'month' : unit;
  const rows = coarser === unit ? series : series.map((buckets) => bucketsOf(asDays(buckets), span, coarser));
  const download = () => {
    const lines = rows[0]!.map(({ from, to }, at) => [
      from,
      to,
      ...rows.flatMap((buckets) => numbersIn(buckets[at]!, hasPrevious)),
    ]);
    const names = METRICS.flatMap((metric) => (hasPrevious ? [metric, `previous_${metric}`] : [metric]));
    const text = [['from', 'to', ...names], ...lines].map((line) => line.join(',')).join('\r\n');
    save(new Blob([`${text}\r\n`], { type: 'text/csv' }), `${span.from}-${span.to}.csv`);
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
              {METRICS.map((metric) => [
                <th scope="col">{METRIC_TEXTS[metric]}</th>,
                hasPrevious && <th scope="col">{texts.chart.earlier}</th>,
              ])}
            </tr>
          </thead>
          <tbody>
            {rows[0]!.map((bucket, at) => (
              <tr key={bucket.from}>
                <th scope="row">{bucketText(bucket, coarser)}</th>
                {rows
                  .flatMap((buckets) => numbersIn(buckets[at]!, hasPrevious))
                  .map((count) => (
                    <td>{numberText(count)}</td>
                  ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function numbersIn({ count, previous }: Bucket, hasPrevious: boolean): number[] {
  return hasPrevious ? [count, previous] : [count];
}

function asDays(buckets: Bucket[]) {
  return buckets.map(({ from, count, previous }) => ({ value: from, count, previous_count: previous }));
}
