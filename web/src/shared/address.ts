import { useEffect, useState } from 'preact/hooks';

/** A list becomes one parameter per text. */
type Changes = Record<string, string | string[] | undefined>;

const CHANGED = 'addresschange';

function withChanges(changes: Changes): string {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    parameters.delete(name);
    for (const one of [value ?? []].flat()) if (one !== '') parameters.append(name, one);
  }
  // Writes `?embed` without an equals sign.
  const query = parameters.toString().replace(/(^|&)embed=(?=&|$)/, '$1embed');
  return query ? `?${query}` : location.pathname;
}

/** A page depends only on its address, so that links work and the browser can go back. */
export function go(changes: Changes, how: 'push' | 'replace' = 'push'): void {
  history[`${how}State`](null, '', withChanges(changes));
  dispatchEvent(new Event(CHANGED));
}

/** The parameters of the address, updated after each change. */
export function useAddress(): URLSearchParams {
  const [query, setQuery] = useState(location.search);
  useEffect(() => {
    const update = () => setQuery(location.search);
    for (const event of ['popstate', CHANGED]) addEventListener(event, update);
    return () => ['popstate', CHANGED].forEach((event) => removeEventListener(event, update));
  }, []);
  return new URLSearchParams(query);
}

/** Attributes of a link to this page with changes, which can also be opened in another tab. */
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
