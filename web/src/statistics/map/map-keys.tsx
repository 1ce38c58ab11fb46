import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  label: string;
  /** The places that can be reached, in their order. */
  codes: readonly string[];
  textOf: (code: string) => string;
  /** The places that are filtered by. */
  picked: ReadonlySet<string>;
  /** Called with the place that the keys are at, or with none once the focus leaves. */
  onAt: (code: string | undefined) => void;
  onChosen: (code: string) => void;
  onLeft: () => void;
  /** Tells whether the keys that led here go on, unless they are elsewhere by now. */
  isFocused: boolean;
}

const PLACES: Partial<Record<string, (at: number, last: number) => number>> = {
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
};

const idOf = (code: string) => `map-${code}`;

/** Lets the keyboard go through the places of a map, which are read out. */
export function MapKeys({ label, codes, textOf, picked, onAt, onChosen, onLeft, isFocused }: Props) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    if (isFocused && document.activeElement === document.body) list.current!.focus();
  }, []);
  const [chosen, setChosen] = useState<string>();
  const goTo = (code: string | undefined) => {
    setChosen(code);
    onAt(code);
  };
  const at = chosen === undefined ? -1 : codes.indexOf(chosen);
  const last = codes.length - 1;
  const choose = () => {
    if (at >= 0) onChosen(codes[at]!);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const place = PLACES[event.key];
    if (event.key === 'Escape') onLeft();
    else if (event.key === 'Enter') choose();
    else if (place) goTo(codes[Math.min(last, Math.max(0, place(at, last)))]);
    else return;
    event.preventDefault();
  };
  return (
    <ul
      ref={list}
      class="map-keys"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable="true"
      aria-activedescendant={at < 0 ? undefined : idOf(codes[at]!)}
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && goTo(chosen ?? codes[0])}
      onBlur={() => onAt(undefined)}
      onKeyDown={onKeyDown}
    >
      {codes.map((code) => (
        <li key={code} id={idOf(code)} class="hidden" role="option" aria-selected={picked.has(code)}>
          {textOf(code)}
        </li>
      ))}
    </ul>
  );
}
