import { useEffect, useState } from 'preact/hooks';
import { Failure, load } from './api';

const MAX_KEPT = 40;
const kept = new Map<string, unknown>();

function keep(url: string, answer: unknown): void {
  kept.delete(url);
  kept.set(url, answer);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
}

export interface Answer<T> {
  /** What was answered last, which may have been another question. */
  data: T | undefined;
  isLoading: boolean;
  failure: Failure | undefined;
  retry: () => void;
}

interface State {
  data?: unknown;
  failure?: Failure | undefined;
  answered?: string | undefined;
}

/** The answer to a question, asked again with each turn; of an older one nobody waits. Without a question there is none. */
export function useAnswer<T>(url: string | undefined, turn = 0): Answer<T> {
  const [state, setState] = useState<State>(() => ({ data: kept.get(url ?? '') }));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (url === undefined) return;
    if (kept.has(url)) setState({ data: kept.get(url) });
    const leaving = new AbortController();
    load<T>(url, leaving.signal).then(
      (data) => {
        keep(url, data);
        setState({ data, answered: url });
      },
      (error: unknown) => {
        if (leaving.signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure('other');
        setState(({ data }) => ({ data, failure, answered: url }));
      },
    );
    return () => leaving.abort();
  }, [url, tries, turn]);
  const { data, failure, answered } = state;
  const isLoading = url !== undefined && answered !== url;
  return {
    data: data as T | undefined,
    isLoading,
    failure: isLoading ? undefined : failure,
    retry: () => {
      setState(({ data }) => ({ data }));
      setTries(tries + 1);
    },
  };
}
