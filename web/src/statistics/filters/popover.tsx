import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  label: string;
  onClosed: () => void;
  children: ComponentChildren;
}

const MARGIN = 12;

/** A box below its parent that closes when something else is used, and by Escape. The focus returns to what opened it. */
export function Popover({ label, onClosed, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef(document.activeElement as HTMLElement | null);
  useLayoutEffect(() => {
    const shown = box.current!;
    const place = () => keepInside(shown);
    place();
    addEventListener('resize', place);
    return () => {
      removeEventListener('resize', place);
      if (shown.contains(document.activeElement)) opener.current?.focus();
    };
  }, []);
  useLayoutEffect(() => {
    const holder = box.current!.parentElement!;
    const close = ({ target }: Event) => {
      if (!holder.contains(target as Node)) onClosed();
    };
    const events = ['pointerdown', 'focusin'];
    for (const event of events) document.addEventListener(event, close);
    return () => events.forEach((event) => document.removeEventListener(event, close));
  }, [onClosed]);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key !== 'Escape') return;
    // A dialog around it stays open.
    event.preventDefault();
    onClosed();
  };
  return (
    <div ref={box} class="popover" role="dialog" aria-label={label} onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}

/** Moves a box to the left as far as it would leave the window. */
function keepInside(box: HTMLElement): void {
  box.style.translate = '';
  const { right } = box.getBoundingClientRect();
  const over = right - (document.documentElement.clientWidth - MARGIN);
  if (over > 0) box.style.translate = `${-over}px`;
}
