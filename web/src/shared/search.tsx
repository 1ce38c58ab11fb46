import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from './address';
import { texts } from './texts';
import { TYPING_MS } from './use-typed';

/** A search that stands in the address. */
export function Search({ address }: { address: URLSearchParams }) {
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
      aria-label={texts.more.search}
      placeholder={texts.more.search}
      maxLength={200}
      value={typed}
      onInput={({ currentTarget }) => search(currentTarget.value)}
    />
  );
}
