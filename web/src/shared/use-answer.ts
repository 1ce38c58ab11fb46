import { useEffect, useState } from 'preact/hooks';
import { type QueryToSend, Failure, load } from './api';

const MAX_CACHED = 40;
/** Pauses before a busy service is asked again; it may have cached what it read meanwhile. */
const PAUSES_MS = [1000, 3000];
const cached = new Map<string, unknown>();

const keyOf = ({ url, body }: QueryToSend) => url + (body ? JSON.stringify(body) : '');

/** Call it when somebody else may be signed in. */
export function forgetAnswers(): void {
  cached.clear();
}

function keep(key: string, answer: unknown): void {
  cached.delete(key);
  cached.set(key, answer);
  if (cached.size > MAX_CACHED) cached.delete(cached.keys().next().value!);
}

export interface Answer<T> {
  /** The last answer, possibly to another query. */
  data: T | undefined;
  /** Tells whether `data` answers another query than this one. */
  isOther: boolean;
  isLoading: boolean;
  failure: Failure | undefined;
  retry: () => void;
}

interface State {
  data?: unknown;
  /** The key of the query that `data` answers. */
  of?: string | undefined;
  failure?: Failure | undefined;
  answered?: string | undefined;
}

/** The answer to a query, requested again for each turn; older ones are aborted. Empty without a query. */
export function useAnswer<T>(requested: QueryToSend | string | undefined, turn = 0): Answer<T> {
  const asking = typeof requested === 'string' ? { url: requested } : requested;
  const key = asking && keyOf(asking);
  const [state, setState] = useState<State>(() => ({ data: cached.get(key ?? ''), of: key }));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!asking || key === undefined) return;
    if (cached.has(key)) setState({ data: cached.get(key), of: key });
    const leaving = new AbortController();
    patiently<T>(asking, leaving.signal).then(
      (data) => {
        keep(key, data);
        setState({ data, of: key, answered: key });
      },
      (error: unknown) => {
        if (leaving.signal.aborted) return;
        setState(({ data, of }) => ({ data, of, failure: failureOf(error), answered: key }));
      },
    );
    return () => leaving.abort();
  }, [key, tries, turn]);
  const { data, of, failure, answered } = state;
  const isLoading = key !== undefined && answered !== key;
  const isOther = data !== undefined && of !== key;
  return {
    // Once this query has failed, an answer to another one would be taken for its answer.
    data: isOther && !isLoading && failure ? undefined : (data as T | undefined),
    isOther,
    isLoading,
    failure: isLoading ? undefined : failure,
    retry: () => {
      setState(({ data, of }) => ({ data, of }));
      setTries(tries + 1);
    },
  };
}

async function patiently<T>(asking: QueryToSend, signal: AbortSignal): Promise<T> {
  for (const pause of PAUSES_MS)
    try {
      return await load<T>(asking, signal);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'busy') throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
      signal.throwIfAborted();
    }
  return load<T>(asking, signal);
}

interface Answers<T> {
  /** Undefined until all are there. */
  data: T[] | undefined;
  /** Tells whether they, or the failure, are of this turn. */
  isCurrent: boolean;
  failure: Failure | undefined;
  retry: () => void;
}

interface AnswersState<T> {
  key: string;
  turn: number;
  data?: T[];
  failure?: Failure;
}

/** The answers to several queries, which are requested one after another, again for each turn. */
export function useAnswersInTurn<T>(urls: readonly string[], turn = 0): Answers<T> {
  const key = urls.join(' ');
  const [state, setState] = useState<AnswersState<T>>(() => ({ turn, ...cachedFor<T>(key) }));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (urls.length === 0) return;
    const leaving = new AbortController();
    inTurn<T>(urls, leaving.signal).then(
      (data) => {
        keep(key, data);
        setState({ key, turn, data });
      },
      (error: unknown) => leaving.signal.aborted || setState({ key, turn, failure: failureOf(error) }),
    );
    return () => leaving.abort();
  }, [key, turn, tries]);
  const known = key !== '' && state.key === key ? state : undefined;
  const retry = () => {
    setState({ key: '', turn });
    setTries(tries + 1);
  };
  return { data: known?.data, isCurrent: known?.turn === turn, failure: known?.failure, retry };
}

const failureOf = (error: unknown) => (error instanceof Failure ? error : new Failure('other'));

function cachedFor<T>(key: string) {
  const data = cached.get(key) as T[] | undefined;
  return { key: data ? key : '', ...(data && { data }) };
}

async function inTurn<T>(urls: readonly string[], signal: AbortSignal): Promise<T[]> {
  const answers: T[] = [];
  for (const url of urls) answers.push(await patiently<T>({ url }, signal));
  return answers;
}
