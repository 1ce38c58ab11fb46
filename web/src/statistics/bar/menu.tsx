import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import './menu.css';

interface Props {
  /** What the button shows. */
  text: ComponentChildren;
  /** The button's name, if that is not its text. */
  label?: string;
  title?: string | undefined;
  /** The key that opens it. */
  shortcut?: string;
  kind?: string;
  children: (close: () => void) => ComponentChildren;
}

/** A button that opens a panel, which Escape, a link in it or anything outside closes. */
export function Menu({ text, label, title, shortcut, kind = '', children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // A link in the panel may have led to another page meanwhile.
  const close = () => (setOpen(false), button.current?.focus());
  useClosed(box, isOpen, () => setOpen(false));
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || event.defaultPrevented) return;
    if (event.key === 'Escape') close();
    else if (!moveFocus(box.current!, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} class={`menu ${kind}`} onKeyDown={onKeyDown}>
      <button
        ref={button}
        class="menu-button"
        aria-expanded={isOpen}
        aria-keyshortcuts={shortcut}
        aria-label={label}
        title={title}
        onClick={() => setOpen(!isOpen)}
      >
        {text}
        <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />
        </svg>
      </button>
      {isOpen && <div class="menu-panel card">{children(close)}</div>}
    </div>
  );
}

/** Calls back once the pointer or the focus goes elsewhere. */
function useClosed(box: { current: HTMLElement | null }, isOpen: boolean, onLeft: () => void): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const look = ({ target }: Event) => {
      if (target instanceof Node && target.isConnected && !box.current!.contains(target)) onLeft();
    };
    for (const event of ['pointerdown', 'focusin']) addEventListener(event, look);
    return () => ['pointerdown', 'focusin'].forEach((event) => removeEventListener(event, look));
  }, [isOpen]);
}

const STEPS: Partial<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** Arrow keys go through what can be chosen. */
function moveFocus(box: HTMLElement, key: string): boolean {
  const step = STEPS[key];
  if (step === undefined) return false;
  const items = [...box.querySelectorAll<HTMLElement>('.menu-button, .menu-panel :is(input, .option)')];
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
  return true;
}
