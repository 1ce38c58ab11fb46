const WIDTH = 120;
const HEIGHT = 32;
const EDGE = 2;

interface Props {
  /** Undefined until they are known. */
  days: number[] | undefined;
  /** The numbers in words. */
  label: string;
}

/** A line of several days. */
export function Spark({ days, label }: Props) {
  if (!days) return <span class="spark" />;
  const largest = Math.max(1, ...days);
  const isFlat = days.every((count) => count === 0);
  const x = (index: number) => EDGE + ((WIDTH - 2 * EDGE) * index) / Math.max(1, days.length - 1);
  const y = (count: number) => HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * count) / largest;
  const line = days.map((count, index) => `${x(index)},${y(count)}`).join(' ');
  const area = `${x(0)},${HEIGHT} ${line} ${x(days.length - 1)},${HEIGHT}`;
  return (
    <span class={`spark ${isFlat ? 'is-flat' : ''}`}>
      <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        {!isFlat && <polygon points={area} />}
        <polyline points={line} />
      </svg>
    </span>
  );
}
