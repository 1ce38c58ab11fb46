import { useEffect, useState } from 'preact/hooks';

/** A list is one parameter as often as it has texts. */
type Changes = Record<string, string | string[] | undefined>;

const CHANGED = 'addresschange';

function withChanges(changes: Changes): string {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    parameters.delete(name);
    for (const one of [value ?? []].flat()) if (one !== '') parameters.append(name, one);
  }
  // The way in which `?embed` is written.
  const query = parameters.toString().replace(/(^|&)embed=(?=&|$)/, '$1embed');
  return query ? `?${query}` : location.pathname;
}

/** All that a page shows follows from its address, so that a link shows the same, and back works. */
export function go(changes: Changes, how: 'push' | 'replace' = 'push'): void {
  history[`${how}State`](null, '', withChanges(changes));
  dispatchEvent(new Event(CHANGED));
}

/** The parameters of the address, now and after each change. */
export function useAddress(): URLSearchParams {
  const [query, setQuery] = useState(location.search);
  useEffect(() => {
    const update = () => setQuery(location.search);
    for (const event of ['popstate', CHANGED]) addEventListener(event, update);
    return () => ['popstate', CHANGED].forEach((event) => removeEventListener(event, update));
  }, []);
  return new URLSearchParams(query);
}

/** Attributes of a link to this page with changes; it can be opened in another tab as well. */
export function linkTo(changes: Changes) {
  return {
    href: withChanges(changes),
    onClick: (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      go(changes);
    },
  };
}
