import { useLayoutEffect, useRef } from 'preact/hooks';
import { Grid, SecondAxis, Ticks } from './axes';
import type { Figure } from '../figures';
import { type Frame, frameOf, HEIGHT, useWidth } from './frame';
import { Dots, Marks, NoteMarks } from './marks';
import { type Point, pointText } from '../points';
import { scaleFor, scaleWith } from './scales';
import { texts } from '../../../shared/texts';
import { Tip } from './tip';
import { usePointer } from './use-pointer';

interface Props {
  points: Point[];
  figure: Figure;
  second: Figure | undefined;
  hasPrevious: boolean;
  label: string;
  /** Called with the first and the last dragged point, which are the same for a click. */
  onPick: (first: number, last: number) => void;
  /** Undefined if nothing can be added to a point. */
  onAnnotated: ((index: number) => void) | undefined;
  /** Tells whether picking a point shows something else. */
  mayOpen: boolean;
  /** Tells whether the focus is yet to return after a point was picked by the keyboard. */
  takesFocus: { current: boolean };
}

/** A line for this range and one for the compared one. A drag or a click selects a range. */
export function Lines(props: Props) {
  const { points, figure, second, hasPrevious, onPick, onAnnotated, mayOpen, takesFocus } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const last = points.length - 1;
  const frame = frameOf(width, last, second !== undefined);
  const { at, setAt, since, handlers } = usePointer(box, frame, last, onPick);
  const shown = at === undefined ? undefined : points[at];
  return (
    <div ref={box} class={mayOpen ? 'lines may-open' : 'lines'} {...handlers}>
      {width > 0 && <Drawing {...props} {...{ frame, width, at, since }} />}
      <Keys
        {...{ last, at, setAt, takesFocus }}
        label={texts.chart.points(figure.text)}
        text={shown && pointText(shown, figure, second, hasPrevious)}
        onChosen={() => at !== undefined && ((takesFocus.current = true), onPick(at, at))}
        onAnnotated={onAnnotated && (() => onAnnotated(at ?? last))}
      />
      {shown && (
        <Tip
          {...{ width, figure, second, hasPrevious, mayOpen }}
          point={shown}
          left={frame.x(at!)}
          apart={last === 0 ? BESIDE_BARS_PX : BESIDE_POINT_PX}
        />
      )}
    </div>
  );
}

interface DrawingProps extends Omit<Props, 'onPick' | 'onAnnotated' | 'mayOpen' | 'takesFocus'> {
  frame: Frame;
  width: number;
  /** The point under the pointer. */
  at: number | undefined;
  /** The point where a drag began. */
  since: number | undefined;
}

function Drawing({ points, figure, second, hasPrevious, label, frame, width, at, since }: DrawingProps) {
  const scale = scaleFor(
    largestOf(points, ({ now, before }) => Math.max(now ?? 0, before ?? 0)),
    figure,
  );
  const secondScale =
    second &&
    scaleWith(
      scale.rows,
      largestOf(points, (point) => point.second ?? 0),
      second,
    );
  const marks = {
    ...{ points, frame, hasPrevious },
    y: frame.heightOf(scale),
    second: secondScale && frame.heightOf(secondScale),
  };
  return (
    <svg role="img" aria-label={label} width={width} height={HEIGHT}>
      <Fade />
      <Grid {...{ frame, scale, figure }} />
      {second && secondScale && <SecondAxis frame={frame} scale={secondScale} figure={second} />}
      <Ticks points={points} frame={frame} />
      {since !== undefined && at !== undefined && (
        <Picked frame={frame} from={frame.x(since)} to={frame.x(at)} />
      )}
      <Marks {...marks} />
      <NoteMarks points={points} frame={frame} />
      {at !== undefined && points[at] && <Dots {...marks} at={at} />}
    </svg>
  );
}

const BESIDE_POINT_PX = 14;
const BESIDE_BARS_PX = 110;

const largestOf = (points: Point[], of: (point: Point) => number) => Math.max(0, ...points.map(of));

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

function Picked({ frame: { top, bottom }, from, to }: { frame: Frame; from: number; to: number }) {
  return (
    <rect class="picked" x={Math.min(from, to)} width={Math.abs(to - from)} y={top} height={bottom - top} />
  );
}

interface KeysProps {
  last: number;
  at: number | undefined;
  setAt: (at: number | undefined) => void;
  label: string;
  text: string | undefined;
  takesFocus: { current: boolean };
  onChosen: () => void;
  onAnnotated: (() => void) | undefined;
}

/** The key that annotates the point. */
const ANNOTATE = '+';

/** Lets the keyboard go along the points, which are announced. */
function Keys({ last, at, setAt, label, text, takesFocus, onChosen, onAnnotated }: KeysProps) {
  const slider = useRef<HTMLDivElement>(null);
  // The drawing of another range may be another one.
  useLayoutEffect(() => {
    if (takesFocus.current && document.activeElement === document.body) slider.current!.focus();
    takesFocus.current = false;
  }, []);
  /** Where it was left, for example to annotate the point. */
  const leftAt = useRef<number>(undefined);
  const places: Partial<Record<string, (at: number) => number>> = {
    ArrowLeft: (at) => at - 1,
    ArrowRight: (at) => at + 1,
    Home: () => 0,
    End: () => last,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return onChosen();
    // It must not be typed into the form that opens.
    if (event.key === ANNOTATE && onAnnotated) return (event.preventDefault(), onAnnotated());
    const place = places[event.key];
    if (!place) return;
    event.preventDefault();
    setAt(Math.min(last, Math.max(0, place(at ?? last))));
  };
  return (
    <div
      ref={slider}
      class="points"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={text}
      aria-keyshortcuts={onAnnotated && 'Plus'}
      onFocus={({ currentTarget }) =>
        currentTarget.matches(':focus-visible') && setAt(Math.min(last, leftAt.current ?? last))
      }
      onBlur={() => ((leftAt.current = at), setAt(undefined))}
      onKeyDown={onKeyDown}
    />
  );
}
