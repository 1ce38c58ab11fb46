import type { Frame } from './frame';
import type { Point } from '../points';

type Height = (value: number) => number;

interface Props {
  points: Point[];
  frame: Frame;
  y: Height;
  hasPrevious: boolean;
  second: Height | undefined;
}

/** Lines of this range, the compared one and the second metric; bars for a single point. */
export function Marks(props: Props) {
  const { points, frame, y, hasPrevious, second } = props;
  if (points.length === 1) return <Bars {...props} />;
  const now = placesOf(points, frame, y, ({ now }) => now);
  return (
    <>
      {hasPrevious && (
        <polyline class="earlier" points={textOf(placesOf(points, frame, y, ({ before }) => before))} />
      )}
      {now.length > 0 && (
        <polygon class="area" points={`${now[0]!.left},${y(0)} ${textOf(now)} ${now.at(-1)!.left},${y(0)}`} />
      )}
      {second && <Line kind="second" places={placesOf(points, frame, second, (point) => point.second)} />}
      <Line kind="now" places={now} />
    </>
  );
}

interface Place {
  left: number;
  top: number;
  isPart: boolean;
}

function placesOf(
  points: Point[],
  { x }: Frame,
  y: Height,
  of: (point: Point) => number | undefined,
): Place[] {
  return points.flatMap((point, index) => {
    const value = of(point);
    return value === undefined ? [] : [{ left: x(index), top: y(value), isPart: point.isPart }];
  });
}

const textOf = (places: Place[]) => places.map(({ left, top }) => `${left},${top}`).join(' ');

/** Dashed at its ends where their time is cut or not over. */
function Line({ kind, places }: { kind: string; places: Place[] }) {
  const ends = [places.slice(0, 2), places.slice(-2).reverse()].filter(([end]) => end?.isPart);
  return (
    <>
      <polyline class={kind} points={textOf(places.filter(({ isPart }) => !isPart))} />
      {ends.map((end) => (
        <polyline class={`${kind} part`} points={textOf(end)} />
      ))}
    </>
  );
}

const BAR_PX = 56;
const GAP_PX = 10;

function Bars({ points, frame, y, hasPrevious, second }: Props) {
  const [point] = points;
  const { now, before, isPart } = point!;
  const bars = [
    ...(hasPrevious ? [{ kind: 'earlier', value: before, top: y }] : []),
    { kind: isPart ? 'now part' : 'now', value: now, top: y },
    ...(second ? [{ kind: 'second', value: point!.second, top: second }] : []),
  ];
  const first = frame.x(0) - (bars.length * (BAR_PX + GAP_PX) - GAP_PX) / 2;
  return (
    <g>
      {bars.map(({ kind, value = 0, top }, index) => (
        <rect
          key={kind}
          class={kind}
          x={first + index * (BAR_PX + GAP_PX)}
          y={top(value)}
          width={BAR_PX}
          height={y(0) - top(value)}
          rx="6"
        />
      ))}
    </g>
  );
}

export function Dots({ points, frame, y, hasPrevious, second, at }: Props & { at: number }) {
  const { now, before, second: other } = points[at]!;
  const left = frame.x(at);
  if (points.length === 1) return null;
  return (
    <g class="dots">
      <line x1={left} x2={left} y1={frame.top} y2={frame.bottom} />
      {hasPrevious && before !== undefined && <circle class="dot-earlier" cx={left} cy={y(before)} r="4" />}
      {second && other !== undefined && <circle class="dot-second" cx={left} cy={second(other)} r="4" />}
      {now !== undefined && <circle class="dot-now" cx={left} cy={y(now)} r="5" />}
    </g>
  );
}

/** A mark on the axis for each point at which something happened. */
export function NoteMarks({ points, frame }: Pick<Props, 'points' | 'frame'>) {
  return (
    <g class="note-marks">
      {points.map(
        ({ notes }, index) =>
          notes.length > 0 && (
            <circle key={index} class="note-mark" cx={frame.x(index)} cy={frame.bottom} r="4.5" />
          ),
      )}
    </g>
  );
}
