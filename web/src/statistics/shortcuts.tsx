import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go } from '../shared/address';
import { type Bounds, rangeChange, type RangeName } from '../shared/ranges';
import { texts } from '../shared/texts';

/** A letter for each range. */
export const RANGE_KEYS: Record<Exclude<RangeName, 'custom'>, string> = {
  today: 't',
  yesterday: 'y',
  '7d': 'w',
  '30d': 'm',
  '90d': 'q',
  '12m': 'l',
  all: 'a',
};
const words = texts.shortcuts;

/** Letters choose ranges, except in text fields or if they are switched off. */
export function Shortcuts({ address, ranges }: { address: URLSearchParams } & Pick<Bounds, 'ranges'>) {
  const [isShown, setShown] = useState(false);
  const isOn = address.get('keys') !== 'off';
  // An effect after the next frame would miss a key pressed before it.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isOn || isMeantElsewhere(event)) return;
      const range = ranges.find((name) => RANGE_KEYS[name] === event.key.toLowerCase());
      if (range) go(rangeChange(range));
      else if (event.key === '?') setShown(true);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [isOn, ranges.length]);
  return (
    <>
      <button class="shortcuts" onClick={() => setShown(true)}>
        {words.title}
      </button>
      {isShown && <List isOn={isOn} ranges={ranges} onClosed={() => setShown(false)} />}
    </>
  );
}

function isMeantElsewhere({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isTyped = target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
  return ctrlKey || metaKey || altKey || isTyped;
}

interface ListProps extends Pick<Bounds, 'ranges'> {
  isOn: boolean;
  onClosed: () => void;
}

function List({ isOn, ranges, onClosed }: ListProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="shortcuts-title" onClose={onClosed}>
      <h2 id="shortcuts-title">{words.title}</h2>
      <dl class="keys-list">
        {ranges.map((name) => (
          <div key={name}>
            <dt>
              <kbd>{RANGE_KEYS[name].toUpperCase()}</kbd>
            </dt>
            <dd>{texts.ranges[name]}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>{words.list}</dd>
        </div>
      </dl>
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
