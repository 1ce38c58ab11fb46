import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../address';
import { texts } from '../texts';

interface Props {
  address: URLSearchParams;
  /** Tells whether it receives the focus in a dialog that opens. */
  isFocused?: boolean;
}

/** A search whose text is in the address. */
export function Search({ address, isFocused }: Props) {
  const [typed, setTyped] = useState(address.get('search') ?? '');
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => go({ search: text, at: undefined }, 'replace'), TYPING_MS);
  };
  return (
    <input
      type="search"
      autofocus={isFocused}
      aria-label={texts.more.search}
      placeholder={texts.more.search}
      maxLength={200}
      value={typed}
      onInput={({ currentTarget }) => search(currentTarget.value)}
    />
  );
}

/** A shorter pause between keys belongs to one text. */
const TYPING_MS = 150;

/** The typed text, once typing pauses. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}
