import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Frame } from './frame';

/** The point under the pointer, and a drag. A finger shows a point by the first tap, and picks it by another one. */
export function usePointer(
  box: RefObject<HTMLElement | null>,
  frame: Frame,
  last: number,
  onPick: (first: number, last: number) => void,
) {
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

/** Tells whether a click elsewhere closes a form or menu, and does nothing else. */
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
