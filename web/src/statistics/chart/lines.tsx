import { useEffect, useRef, useState } from 'preact/hooks';
import type { Figure } from './figures';
import { texts } from '../../shared/texts';

const HEIGHT = 260;
const EDGE = { top: 12, right: 12, bottom: 28, left: 52 };
const TICK_PX = 84;
const ROWS = 4;

/** A point of the line; undefined values leave gaps. */
export interface Point {
  text: string;
  tick: string;
  now: number | undefined;
  before: number | undefined;
  /** Whether its time is not over. */
  isOpen: boolean;
}

interface Props {
  points: Point[];
  figure: Figure;
  hasPrevious: boolean;
  label: string;
  /** Called with the first and the last dragged point. */
  onPick: (first: number, last: number) => void;
}

/** A line for this range and one for the previous period. A drag selects a range. */
export function Lines({ points, figure, hasPrevious, label, onPick }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<number>();
  const [since, setSince] = useState<number>();
  const hovered = at === undefined ? undefined : points[at];
  const top = niceTop(Math.max(...points.map(({ now = 0, before = 0 }) => Math.max(now, before))), figure);
  const last = points.length - 1;
  const { inner, x, y } = scalesOf(width, last, top);
  const indexAt = ({ clientX }: PointerEvent) => {
    const part = (clientX - box.current!.getBoundingClientRect().left - EDGE.left) / inner;
    return Math.min(last, Math.max(0, Math.round(part * last)));
  };
  const drop = (event: PointerEvent) => {
    const [first, second] = [Math.min(since!, indexAt(event)), Math.max(since!, indexAt(event))];
    setSince(undefined);
    if (first !== second) onPick(first, second);
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
          <Grid top={top} y={y} right={width - EDGE.right} write={figure.writeShort} />
          <Ticks points={points} x={x} inner={inner} />
          {since !== undefined && at !== undefined && (
            <rect
              class="picked"
              x={x(Math.min(since, at))}
              width={Math.abs(x(at) - x(since))}
              y={EDGE.top}
              height={HEIGHT - EDGE.top - EDGE.bottom}
            />
          )}
          <Series {...{ points, x, y, hasPrevious }} hovered={at} />
        </svg>
      )}
      {hovered && <Tip point={hovered} left={x(at!)} {...{ width, figure, hasPrevious }} />}
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

/** The smallest top at or above the largest value that results in readable steps. */
function niceTop(largest: number, { isWhole }: Figure): number {
  const step = Math.max(isWhole ? 1 : 0.01, largest / ROWS);
  const power = 10 ** Math.floor(Math.log10(step));
  const nice = [1, 2, 2.5, 5, 10]
    .map((factor) => factor * power)
    .find((one) => one >= step && (!isWhole || Number.isInteger(one)));
  return ROWS * (nice ?? 10 * power);
}

interface GridProps {
  top: number;
  y: (value: number) => number;
  right: number;
  write: (value: number) => string;
}

function Grid({ top, y, right, write }: GridProps) {
  return (
    <g class="grid" aria-hidden="true">
      {Array.from({ length: ROWS + 1 }, (_, row) => {
        const value = (top / ROWS) * row;
        return (
          <g key={row}>
            <line x1={EDGE.left} x2={right} y1={y(value)} y2={y(value)} />
            <text x={EDGE.left - 10} y={y(value)} dy="0.32em" text-anchor="end">
              {write(value)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

interface TicksProps {
  points: Point[];
  x: (index: number) => number;
  inner: number;
}

function Ticks({ points, x, inner }: TicksProps) {
  const every = Math.ceil(points.length / Math.max(2, Math.floor(inner / TICK_PX)));
  const anchorOf = (index: number) =>
    points.length > 1 && index === 0 ? 'start' : index === points.length - 1 && index > 0 ? 'end' : 'middle';
  return (
    <g class="ticks" aria-hidden="true">
      {points.map(({ tick }, index) =>
        index % every === 0 ? (
          <text key={index} x={x(index)} y={HEIGHT - 6} text-anchor={anchorOf(index)}>
            {tick}
          </text>
        ) : null,
      )}
    </g>
  );
}

interface SeriesProps {
  points: Point[];
  x: (index: number) => number;
  y: (value: number) => number;
  hasPrevious: boolean;
  /** The point under the pointer. */
  hovered: number | undefined;
}

function Series({ points, x, y, hasPrevious, hovered }: SeriesProps) {
  const [first] = points;
  if (first && points.length === 1) return <Bars point={first} {...{ x, y, hasPrevious }} />;
  const placesOf = (of: (point: Point) => number | undefined) =>
    points.flatMap((point, index) => {
      const value = of(point);
      return value === undefined ? [] : [{ left: x(index), top: y(value) }];
    });
  const text = (places: { left: number; top: number }[]) =>
    places.map(({ left, top }) => `${left},${top}`).join(' ');
  const line = placesOf(({ now }) => now);
  const over = placesOf(({ now, isOpen }) => (isOpen ? undefined : now));
  const dotted = hovered === undefined ? undefined : points[hovered];
  return (
    <>
      {hasPrevious && <polyline class="earlier" points={text(placesOf(({ before }) => before))} />}
      {line.length > 0 && (
        <polygon
          class="area"
          points={`${line[0]!.left},${y(0)} ${text(line)} ${line.at(-1)!.left},${y(0)}`}
        />
      )}
      <polyline class="now" points={text(over)} />
      {over.length < line.length && <polyline class="now open" points={text(line.slice(-2))} />}
      {dotted && <Dots point={dotted} index={hovered!} {...{ x, y, hasPrevious }} />}
    </>
  );
}

interface MarkProps {
  point: Point;
  x: (index: number) => number;
  y: (value: number) => number;
  hasPrevious: boolean;
}

function Dots({ point: { now, before }, index, x, y, hasPrevious }: MarkProps & { index: number }) {
  return (
    <g class="dots">
      {hasPrevious && before !== undefined && (
        <circle class="dot-earlier" cx={x(index)} cy={y(before)} r="4" />
      )}
      {now !== undefined && <circle class="dot-now" cx={x(index)} cy={y(now)} r="5" />}
    </g>
  );
}

const BAR_PX = 64;

/** A single point cannot be a line. */
function Bars({ point: { now = 0, before = 0, isOpen }, x, y, hasPrevious }: MarkProps) {
  const bar = (kind: string, left: number, of: number) => (
    <rect class={kind} x={left} y={y(of)} width={BAR_PX} height={y(0) - y(of)} rx="6" />
  );
  return (
    <g>
      {hasPrevious && bar('earlier', x(0) - BAR_PX - 4, before)}
      {bar(isOpen ? 'now open' : 'now', hasPrevious ? x(0) + 4 : x(0) - BAR_PX / 2, now)}
    </g>
  );
}

interface TipProps {
  point: Point;
  figure: Figure;
  hasPrevious: boolean;
  left: number;
  width: number;
}

/** Follows the pointer; readers without one use the table. */
function Tip({ point: { text, now, before }, figure, hasPrevious, left, width }: TipProps) {
  const place = left > width / 2 ? { right: `${width - left + 14}px` } : { left: `${left + 14}px` };
  const write = (value: number | undefined) => (value === undefined ? '–' : figure.write(value));
  return (
    <div class="tip" style={place} aria-hidden="true">
      <b>{text}</b>
      <span class="key now">
        {figure.text} <b>{write(now)}</b>
      </span>
      {hasPrevious && (
        <span class="key earlier">
          {texts.chart.earlier} <b>{write(before)}</b>
        </span>
      )}
    </div>
  );
}
