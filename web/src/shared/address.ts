import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

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

/** What is asked before edits are lost that are not saved, and where they are. */
const unsaved = new Map<string, string>();
const mayLeave = () => [...unsaved.keys()].every((question) => confirm(question));

/** Asks before this page loses edits: by a link, by the browser's back button or with the tab. */
export function useUnsaved(question: string | undefined): void {
  useLayoutEffect(() => {
    if (question === undefined) return;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    unsaved.set(question, location.href);
    addEventListener('beforeunload', stay);
    return () => {
      unsaved.delete(question);
      removeEventListener('beforeunload', stay);
    };
  }, [question]);
}

/** The browser has gone back already, so it returns before any other listener sees it. */
function returnToUnsaved(event: PopStateEvent): void {
  const [address] = unsaved.values();
  if (address === undefined || mayLeave()) return;
  history.pushState(null, '', address);
  event.stopImmediatePropagation();
}

let isGuarded = false;
function guardOnce(): void {
  if (!isGuarded) addEventListener('popstate', returnToUnsaved);
  isGuarded = true;
}

/** A page depends only on its address, so that links work and the browser can go back. */
export function go(changes: Changes, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push' && !mayLeave()) return;
  history[`${how}State`](null, '', withChanges(changes));
  dispatchEvent(new Event(CHANGED));
}

/** The parameters of the address, updated after each change. */
export function useAddress(): URLSearchParams {
  const [query, setQuery] = useState(location.search);
  useEffect(() => {
    const update = () => setQuery(location.search);
    guardOnce();
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
