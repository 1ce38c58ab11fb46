import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go } from '../shared/address';
import { rangeText } from './bar/periods';
import { type Bounds, rangeChange, type RangeName } from '../shared/ranges';
import { texts } from '../shared/texts';
import './shortcuts.css';

/** A letter for each range. */
export const RANGE_KEYS: Record<Exclude<RangeName, 'custom'>, string> = {
  ...{ today: 'T', yesterday: 'Y', '24h': 'H', '7d': 'W', '28d': 'D', '30d': 'M', '90d': 'Q' },
  ...{ month: 'N', last_month: 'P', year: 'J', '12m': 'L', all: 'A' },
};
const words = texts.shortcuts;

/** Letters choose ranges and press the buttons that name them, except in text fields or if they are switched off. */
export function Shortcuts({ address, bounds }: { address: URLSearchParams; bounds: Bounds }) {
  const [isShown, setShown] = useState(false);
  const isOn = address.get('keys') !== 'off';
  // An effect after the next frame would miss a key pressed before it.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isOn || isMeantElsewhere(event)) return;
      const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
      const range = bounds.ranges.find((name) => RANGE_KEYS[name] === key);
      if (range) go(rangeChange(range));
      else if (key === '?') setShown(true);
      else if (press(key)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [isOn, bounds.ranges.length]);
  return (
    <>
      <button class="shortcuts" onClick={() => setShown(true)}>
        {words.title}
      </button>
      {isShown && <List isOn={isOn} bounds={bounds} onClosed={() => setShown(false)} />}
    </>
  );
}

/** Presses the button of a key; false if there is none. */
function press(key: string): boolean {
  const button = document.querySelector<HTMLElement>(`button[aria-keyshortcuts="${CSS.escape(key)}"]`);
  button?.click();
  if (button?.matches('[aria-expanded], [aria-haspopup]')) button.focus();
  return button !== null;
}

/** Fields, lists, calendars and areas that scroll have keys of their own. The page behind a dialog has none. */
const ELSEWHERE = 'input, select, textarea, dialog, [role="tablist"], [role="grid"], [tabindex="0"]';

function isMeantElsewhere({ ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent): boolean {
  const isTyped = target instanceof Element && target.closest(ELSEWHERE) !== null;
  const isBehind = document.querySelector('dialog[open]') !== null;
  return ctrlKey || metaKey || altKey || isTyped || isBehind || defaultPrevented;
}

interface ListProps {
  bounds: Bounds;
  isOn: boolean;
  onClosed: () => void;
}

function List({ isOn, bounds, onClosed }: ListProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="confirm shortcuts-dialog"
      aria-labelledby="shortcuts-title"
      onClose={onClosed}
    >
      <h2 id="shortcuts-title">{words.title}</h2>
      <div class="keys-lists">
        <Keys
          title={words.ranges}
          keys={bounds.ranges.map((name) => [RANGE_KEYS[name], rangeText(name, bounds)])}
        />
        <Keys title={words.page} keys={PAGE_KEYS.filter(([key]) => isPresent(key))} />
      </div>
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => go({ keys: currentTarget.checked ? undefined : 'off' }, 'replace')}
        />{' '}
        {words.on}
      </label>
      <div class="choices">
        <button class="plain" onClick={() => dialog.current!.close()}>
          {texts.more.close}
        </button>
      </div>
    </dialog>
  );
}

const PAGE_KEYS: [key: string, text: string][] = [
  ['ArrowLeft', texts.ranges.before],
  ['ArrowRight', texts.ranges.after],
  ['C', words.custom],
  ['X', words.compare],
  ['F', words.filter],
  ['/', words.website],
  ['?', words.list],
  ['Escape', words.close],
];
const ALWAYS = ['?', 'Escape'];
const SIGNS: Partial<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };

/** Viewers of shared pages have fewer buttons. */
const isPresent = (key: string) =>
  ALWAYS.includes(key) || document.querySelector(`button[aria-keyshortcuts="${CSS.escape(key)}"]`) !== null;

function Keys({ title, keys }: { title: string; keys: [key: string, text: string][] }) {
  return (
    <div>
      <h3>{title}</h3>
      <dl class="keys-list">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{SIGNS[key] ?? key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
