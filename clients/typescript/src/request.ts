import { errorOf, MilepostError, NoAnswer } from './errors.ts';

export interface Options {
  /** The address of the service, for example https://stats.example.com. */
  url: string;
  /** Not needed for events from pages. */
  key?: string;
  /** The number of retries after 429 or 503; default 3. */
  retries?: number;
  /** The maximum total wait of one call between its requests; default 60,000. */
  maxWaitMs?: number;
  /** The maximum wait for the answer to one request, or for more of it; default 45,000. */
  timeoutMs?: number;
  /** Replaces the global fetch. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface Sent {
  method?: string;
  query?: object;
  body?: object;
  headers?: Record<string, string | undefined>;
  /** False if a retry after a 503 could repeat the effect. */
  isRepeatable?: boolean;
  /** Lets the request outlive its page. */
  keepalive?: boolean;
  signal?: AbortSignal;
}

const FIRST_WAIT_MS = 1000;

/** Sends a request, with retries if the answer asks for them, and returns the JSON of the answer. */
export async function request<T>(options: Options, path: string, sent: Sent = {}): Promise<T> {
  const body = textOf(sent);
  return repeated(options, sent, async () => {
    const { wait, signal } = patience(options, sent);
    const answer = answered(options, path, sent, body, signal).then(async (response) => {
      const text = await response.text();
      return { ...told(response), ...(text && (JSON.parse(text) as object)) } as T;
    });
    return wait(answer);
  });
}

/** Sends a request likewise, and yields the JSON of each line as it arrives. */
export async function* lines<T>(options: Options, path: string, sent: Sent): AsyncGenerator<T> {
  const text = textOf(sent);
  const { reader, wait } = await repeated(options, sent, async () => {
    const { wait, signal } = patience(options, sent);
    const { body } = await wait(answered(options, path, sent, text, signal));
    return { reader: body!.pipeThrough(new TextDecoderStream()).getReader(), wait };
  });
  try {
    let rest = '';
    for (;;) {
      const { done, value } = await wait(reader.read());
      if (done) break;
      const found = (rest + value).split('\n');
      rest = found.pop()!;
      for (const line of found) yield JSON.parse(line) as T;
    }
    if (rest) throw new NoAnswer('The answer broke off.');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function repeated<T>(options: Options, sent: Sent, once: () => Promise<T>): Promise<T> {
  const { retries = 3, maxWaitMs = 60_000 } = options;
  for (let retry = 0, waitedMs = 0; ; retry++) {
    try {
      return await once();
    } catch (error) {
      if (retry >= retries || !mayRetry(error, sent)) throw error;
      const ms = error.retryAfter === undefined ? FIRST_WAIT_MS * 2 ** retry : error.retryAfter * 1000;
      if ((waitedMs += ms) > maxWaitMs) throw error;
      await pause(ms, sent.signal);
    }
  }
}

function mayRetry(error: unknown, { isRepeatable = true }: Sent): error is MilepostError | NoAnswer {
  if (!(error instanceof MilepostError || error instanceof NoAnswer)) return false;
  return error.status === 429 || (error.status === 503 && isRepeatable);
}

/** Written before anything is sent, so that what JSON cannot hold is not taken for a failing service. */
function textOf({ body }: Sent): string | null {
  return body ? JSON.stringify(body) : null;
}

async function answered(
  options: Options,
  path: string,
  sent: Sent,
  body: string | null,
  signal: AbortSignal,
): Promise<Response> {
  const { fetch: send = fetch } = options;
  const { method = 'GET', keepalive = false } = sent;
  const response = await send(targetOf(options, path, sent), {
    method,
    keepalive,
    headers: headersOf(options, sent),
    body,
    signal,
    redirect: 'manual',
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Aborts a request that waits too long for data, or whose caller gives up. Time between waits does not count. */
function patience({ timeoutMs = 45_000 }: Options, { signal }: Sent) {
  const late = new AbortController();
  const wait = async <T>(promise: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return await promise;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof MilepostError || error instanceof NoAnswer) throw error;
      throw new NoAnswer('No answer came from the service.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
  return { wait, signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal };
}

/** The values of an array are already encoded. */
type QueryValue = string | number | boolean | readonly string[];

function targetOf({ url }: Options, path: string, { query = {} }: Sent): URL {
  const target = new URL(url.replace(/\/*$/, path));
  for (const [name, value] of Object.entries(query) as [string, QueryValue | undefined][])
    if (value !== undefined) target.searchParams.set(name, String(value));
  return target;
}

function headersOf({ key }: Options, { body, headers }: Sent): [string, string][] {
  const all = {
    Accept: 'application/json',
    Authorization: key && `Bearer ${key}`,
    'Content-Type': body && 'application/json',
    ...headers,
  };
  return Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
}

/** The data that are only in headers. */
function told({ headers }: Response): object {
  const etag = headers.get('ETag');
  const dropped = headers.get('Milepost-Dropped');
  return { ...(etag && { etag }), ...(dropped && { dropped }) };
}

/** Waits, unless the caller gives up. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const passed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return unlessAborted(passed, signal).finally(() => clearTimeout(timer));
}

/** The same promise, for a caller who may give up. */
export function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
