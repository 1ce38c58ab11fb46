import { useEffect, useRef, useState } from 'preact/hooks';
import { bucketText, numberText, shortNumberText, tickText } from './format';
import type { Bucket, Unit } from './ranges';
import { texts } from './texts';

const HEIGHT = 260;
const EDGE = { top: 12, right: 12, bottom: 28, left: 44 };
const TICK_PX = 84;
const ROWS = 4;

interface Props {
  buckets: Bucket[];
  unit: Unit;
  name: string;
  hasPrevious: boolean;
  label: string;
  onPick: (from: string, to: string) => void;
}

/** A line for this range and one for the range before. A drag picks a range. */
export function Lines({ buckets, unit, name, hasPrevious, label, onPick }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<number>();
  const [since, setSince] = useState<number>();
  const hovered = at === undefined ? undefined : buckets[at];
  const top = niceTop(Math.max(...buckets.map(({ count, previous }) => Math.max(count, previous))));
  const last = buckets.length - 1;
  const { inner, x, y } = scalesOf(width, last, top);
  const indexAt = ({ clientX }: PointerEvent) => {
    const part = (clientX - box.current!.getBoundingClientRect().left - EDGE.left) / inner;
    return Math.min(last, Math.max(0, Math.round(part * last)));
  };
  const drop = (event: PointerEvent) => {
    const [first, second] = [Math.min(since!, indexAt(event)), Math.max(since!, indexAt(event))];
    setSince(undefined);
    if (first !== second) onPick(buckets[first]!.from, buckets[second]!.to);
  };
  return (
    <div
      ref={box}
      class="lines"
      onPointerMove={(event) => setAt(indexAt(event))}
      onPointerLeave={() => (setAt(undefined), setSince(undefined))}
      onPointerDown={(event) =>
        event.pointerType === 'mouse' && event.button === 0 && setSince(indexAt(event))
      }
      onPointerUp={(event) => since !== undefined && drop(event)}
    >
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={HEIGHT}>
          <Fade />
          <Grid top={top} y={y} right={width - EDGE.right} />
          <Ticks buckets={buckets} unit={unit} x={x} inner={inner} />
          {since !== undefined && at !== undefined && (
            <rect
              class="picked"
              x={x(Math.min(since, at))}
              width={Math.abs(x(at) - x(since))}
              y={EDGE.top}
              height={HEIGHT - EDGE.top - EDGE.bottom}
            />
          )}
          <Series {...{ buckets, x, y, hasPrevious }} hovered={at} />
        </svg>
      )}
      {hovered && <Tip bucket={hovered} left={x(at!)} width={width} {...{ unit, name, hasPrevious }} />}
    </div>
  );
}

function scalesOf(width: number, last: number, top: number) {
  const inner = Math.max(1, width - EDGE.left - EDGE.right);
  return {
    inner,
    x: (index: number) => EDGE.left + (last === 0 ? inner / 2 : (inner * index) / last),
    y: (count: number) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * count) / top,
  };
}

function Fade() {
  return (
    <defs>
      <linearGradient id="fade" x1="0" x2="0" y1="0" y2="1">
        <stop offset="0" class="fade-from" />
        <stop offset="1" class="fade-to" />
      </linearGradient>
    </defs>
  );
}

function useWidth(box: { current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The least number at or above the largest count that makes whole steps. */
function niceTop(largest: number): number {
  const step = Math.max(1, largest / ROWS);
  const power = 10 ** Math.floor(Math.log10(step));
  const nice = [1, 2, 2.5, 5, 10]
    .map((factor) => factor * power)
    .find((one) => one >= step && Number.isInteger(one));
  return ROWS * (nice ?? 10 * power);
}

function Grid({ top, y, right }: { top: number; y: (count: number) => number; right: number }) {
  return (
    <g class="grid" aria-hidden="true">
      {Array.from({ length: ROWS + 1 }, (_, row) => {
        const count = (top / ROWS) * row;
        return (
          <g key={row}>
            <line x1={EDGE.left} x2={right} y1={y(count)} y2={y(count)} />
            <text x={EDGE.left - 10} y={y(count)} dy="0.32em" text-anchor="end">
              {shortNumberText(count)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

interface TicksProps {
  buckets: Bucket[];
  unit: Unit;
  x: (index: number) => number;
  inner: number;
}

function Ticks({ buckets, unit, x, inner }: TicksProps) {
  const every = Math.ceil(buckets.length / Math.max(2, Math.floor(inner / TICK_PX)));
  const anchorOf = (index: number) =>
    buckets.length > 1 && index === 0
      ? 'start'
      : index === buckets.length - 1 && index > 0
        ? 'end'
        : 'middle';
  return (
    <g class="ticks" aria-hidden="true">
      {buckets.map(({ from }, index) =>
        index % every === 0 ? (
          <text key={from} x={x(index)} y={HEIGHT - 6} text-anchor={anchorOf(index)}>
            {tickText(from, unit)}
          </text>
        ) : null,
      )}
    </g>
  );
}

interface SeriesProps {
  buckets: Bucket[];
  x: (index: number) => number;
  y: (count: number) => number;
  hasPrevious: boolean;
  /** Which bucket the pointer is at. */
  hovered: number | undefined;
}

function Series({ buckets, x, y, hasPrevious, hovered }: SeriesProps) {
  const [first] = buckets;
  if (first && buckets.length === 1) return <Bars bucket={first} {...{ x, y, hasPrevious }} />;
  const points = (of: (bucket: Bucket) => number) =>
    buckets.map((bucket, index) => `${x(index)},${y(of(bucket))}`).join(' ');
  const line = points(({ count }) => count);
  const dotted = hovered === undefined ? undefined : buckets[hovered];
  return (
    <>
      {hasPrevious && <polyline class="earlier" points={points(({ previous }) => previous)} />}
      <polygon class="area" points={`${x(0)},${y(0)} ${line} ${x(buckets.length - 1)},${y(0)}`} />
      <polyline class="now" points={line} />
      {dotted && <Dots bucket={dotted} index={hovered!} {...{ x, y, hasPrevious }} />}
    </>
  );
}

interface MarkProps {
  bucket: Bucket;
  x: (index: number) => number;
  y: (count: number) => number;
  hasPrevious: boolean;
}

function Dots({ bucket, index, x, y, hasPrevious }: MarkProps & { index: number }) {
  return (
    <g class="dots">
      {hasPrevious && <circle class="dot-earlier" cx={x(index)} cy={y(bucket.previous)} r="4" />}
      <circle class="dot-now" cx={x(index)} cy={y(bucket.count)} r="5" />
    </g>
  );
}

const BAR_PX = 64;

/** A single point makes no line. */
function Bars({ bucket: { count, previous }, x, y, hasPrevious }: MarkProps) {
  const bar = (kind: string, left: number, of: number) => (
    <rect class={kind} x={left} y={y(of)} width={BAR_PX} height={y(0) - y(of)} rx="6" />
  );
  return (
    <g>
      {hasPrevious && bar('earlier', x(0) - BAR_PX - 4, previous)}
      {bar('now', hasPrevious ? x(0) + 4 : x(0) - BAR_PX / 2, count)}
    </g>
  );
}

interface TipProps {
  bucket: Bucket;
  unit: Unit;
  name: string;
  hasPrevious: boolean;
  left: number;
  width: number;
}

/** Beside the pointer; whoever has none reads the table. */
function Tip({ bucket, unit, name, hasPrevious, left, width }: TipProps) {
  const place = left > width / 2 ? { right: `${width - left + 14}px` } : { left: `${left + 14}px` };
  return (
    <div class="tip" style={place} aria-hidden="true">
      <b>{bucketText(bucket, unit)}</b>
      <span class="key now">
        {name} <b>{numberText(bucket.count)}</b>
      </span>
      {hasPrevious && (
        <span class="key earlier">
          {texts.chart.earlier} <b>{numberText(bucket.previous)}</b>
        </span>
      )}
    </div>
  );
}
