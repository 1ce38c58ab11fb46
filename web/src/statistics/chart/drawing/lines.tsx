import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Grid, SecondAxis, Ticks } from './axes';
import type { Figure } from '../figures';
import { type Frame, frameOf, HEIGHT, useWidth } from './frame';
import { Dots, Marks, NoteMarks } from './marks';
import { type Point, pointText } from '../points';
import { scaleFor, scaleWith } from './scales';
import { texts } from '../../../shared/texts';
import { Tip } from './tip';

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
  /** Whether picking a point shows something else. */
  mayOpen: boolean;
  /** Whether the focus is yet to return after a point was picked by the keyboard. */
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

/** The point under the pointer, and a drag. A finger shows a point by the first tap, and picks it by another one. */
function usePointer(box: RefObject<HTMLElement | null>, frame: Frame, last: number, onPick: Props['onPick']) {
  const [chosenAt, setAt] = useState<number>();
  const [since, setSince] = useState<number>();
  /** The point that was shown before the pointer went down. */
  const before = useRef<number>(undefined);
  // There may be fewer points than when it was chosen.
  const at = chosenAt === undefined ? undefined : Math.min(chosenAt, last);
  const indexAt = ({ clientX }: MouseEvent) =>
    frame.indexAt(clientX - box.current!.getBoundingClientRect().left);
  const leave = () => {
    setAt(undefined);
    setSince(undefined);
  };
  useTapOutside(box, at !== undefined, leave);
  useEscape(since !== undefined, () => setSince(undefined));
  const handlers = {
    onPointerMove: (event: PointerEvent) => setAt(indexAt(event)),
    onPointerLeave: ({ pointerType }: PointerEvent) => pointerType === 'mouse' && leave(),
    onPointerDown: (event: PointerEvent) => {
      before.current = at;
      if (event.pointerType !== 'mouse') return setAt(indexAt(event));
      if (event.button !== 0 || closesSomething()) return;
      // A drag may end beside the chart.
      box.current!.setPointerCapture(event.pointerId);
      setSince(indexAt(event));
    },
    onPointerUp: (event: PointerEvent) => {
      if (since === undefined) return;
      const end = indexAt(event);
      setSince(undefined);
      onPick(Math.min(since, end), Math.max(since, end));
    },
    onClick: (event: MouseEvent) => {
      const isTap = ['touch', 'pen'].includes((event as PointerEvent).pointerType);
      if (isTap && at !== undefined && before.current === at) onPick(at, at);
    },
  };
  return { at, setAt, since, handlers };
}

/** Escape drops a drag. */
function useEscape(isDragging: boolean, drop: () => void): void {
  useEffect(() => {
    if (!isDragging) return;
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && drop();
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isDragging]);
}

/** Whether a click elsewhere closes a form or menu, and does nothing else. */
const closesSomething = () => document.querySelector('[role=dialog], .menu-panel, .account-menu') !== null;

/** A finger leaves the point that it chose; the next one elsewhere drops it. */
function useTapOutside(box: RefObject<HTMLElement | null>, isChosen: boolean, leave: () => void): void {
  useEffect(() => {
    if (!isChosen) return;
    const onPointerDown = ({ target }: PointerEvent) => !box.current!.contains(target as Node) && leave();
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [isChosen]);
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
