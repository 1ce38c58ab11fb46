import { numberText, shortNumberText } from '../../shared/format';
import { texts } from '../../shared/texts';

const WIDTH = 120;
const HEIGHT = 28;
const EDGE = 2;

/** A sparkline of several days; an empty place until they are known. */
export function Spark({ days, domain }: { days: number[] | undefined; domain: string }) {
  if (!days) return <span class="spark" />;
  const largest = Math.max(1, ...days);
  const x = (index: number) => EDGE + ((WIDTH - 2 * EDGE) * index) / Math.max(1, days.length - 1);
  const y = (count: number) => HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * count) / largest;
  const line = days.map((count, index) => `${x(index)},${y(count)}`).join(' ');
  const sum = days.reduce((all, count) => all + count, 0);
  return (
    <span class="spark">
      <svg
        role="img"
        aria-label={texts.console.websites.recent(domain, numberText(sum))}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      >
        <polygon class="spark-area" points={`${x(0)},${HEIGHT} ${line} ${x(days.length - 1)},${HEIGHT}`} />
        <polyline class="now" points={line} />
      </svg>
      <span class="spark-sum" aria-hidden="true">
        {shortNumberText(sum)}
      </span>
    </span>
  );
}
