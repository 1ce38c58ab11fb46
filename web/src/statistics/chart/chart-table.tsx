import { saveCsv } from '../../shared/api';
import { FIGURE_NAMES, FIGURES } from './figures';
import { bucketText } from '../../shared/format';
import type { Span, Unit } from '../../shared/ranges';
import type { Bucket } from './series';
import { texts } from '../../shared/texts';

interface Props {
  buckets: Bucket[];
  unit: Unit;
  span: Span;
}

/** All figures, each beside that of the compared range. */
export function ChartTable({ buckets, unit, span }: Props) {
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
          <Head hasPrevious={hasPrevious} />
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

function Head({ hasPrevious }: { hasPrevious: boolean }) {
  return (
    <thead>
      <tr>
        <th scope="col" rowSpan={hasPrevious ? 2 : 1}>
          {texts.chart.date}
        </th>
        {FIGURE_NAMES.map((name) => (
          <th key={name} scope={hasPrevious ? 'colgroup' : 'col'} colSpan={hasPrevious ? 2 : 1}>
            {FIGURES[name].text}
          </th>
        ))}
      </tr>
      {hasPrevious && (
        <tr>
          {FIGURE_NAMES.map((name) => [
            <th key={`${name} now`} scope="col">
              {texts.chart.now}
            </th>,
            <th key={`${name} before`} scope="col">
              {texts.chart.before}
            </th>,
          ])}
        </tr>
      )}
    </thead>
  );
}
