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

interface Edits {
  question: string;
  address: string;
}

/** Edits that are not saved. */
const unsaved = new Set<Edits>();

/** Asks before edits are lost. */
export function mayLeave(): boolean {
  return [...new Set([...unsaved].map(({ question }) => question))].every((question) => confirm(question));
}

/** Asks before the page is unloaded, so that the browser does not ask again. */
export function mayUnload(): boolean {
  const may = mayLeave();
  if (may) unsaved.clear();
  return may;
}

/** Asks before this page loses edits: by a link, by the browser's back button or with the tab. */
export function useUnsaved(question: string | undefined): void {
  useLayoutEffect(() => {
    if (question === undefined) return;
    const edits = { question, address: location.href };
    unsaved.add(edits);
    return () => void unsaved.delete(edits);
  }, [question]);
}

/** The browser has gone back already, so it returns before any other listener sees it. */
function returnToUnsaved(event: PopStateEvent): void {
  const [edits] = unsaved;
  if (!edits || mayLeave()) return;
  history.pushState(null, '', edits.address);
  event.stopImmediatePropagation();
}

let isGuarded = false;
function guardOnce(): void {
  if (isGuarded) return;
  isGuarded = true;
  addEventListener('popstate', returnToUnsaved);
  addEventListener('beforeunload', (event) => unsaved.size > 0 && event.preventDefault());
}

/** A page depends only on its address, so that links work and the browser can go back. */
export function go(changes: Changes, how: 'push' | 'replace' = 'push'): void {
  const address = withChanges(changes);
  if (how === 'push' && (address === withChanges({}) || !mayLeave())) return;
  history[`${how}State`](null, '', address);
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
