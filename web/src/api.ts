import type { components } from '../../clients/typescript/src/openapi';

type Schemas = components['schemas'];
export type StatName = Schemas['StatSummary']['name'];
export type StatSummary = Schemas['StatSummary'];
export type StatEntry = Schemas['StatEntry'];
export type PageMeta = Schemas['PageMeta'];
export interface SummaryAnswer {
  data: StatSummary[];
  meta: Schemas['SummaryMeta'];
}
export interface StatsAnswer {
  data: StatEntry[];
  meta: Schemas['StatsMeta'];
}

export type FailureKind = 'offline' | 'limited' | 'busy' | 'password' | 'signin' | 'gone' | 'other';

/** Why there is no answer, as far as it matters to a reader. */
export class Failure extends Error {
  constructor(readonly kind: FailureKind) {
    super(kind);
  }
}

const KINDS: Record<number, FailureKind> = {
  401: 'signin',
  403: 'password',
  404: 'gone',
  429: 'limited',
  503: 'busy',
};

export type Parameters = Record<string, string | number | undefined>;

export function urlOf(base: string, parameters: Parameters): string {
  const sent = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return `${base}?${new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString()}`;
}

async function send(url: string, type: string, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(url, { headers: { Accept: type }, signal: signal ?? null }).catch(
    (error: unknown) => {
      throw signal?.aborted ? error : new Failure('offline');
    },
  );
  if (!answer.ok) throw new Failure(KINDS[answer.status] ?? 'other');
  return answer;
}

export async function load<T>(url: string, signal: AbortSignal): Promise<T> {
  return (await (await send(url, 'application/json', signal)).json()) as T;
}

/** Saves what a question answers as a file. */
export async function saveCsv(url: string, name: string): Promise<void> {
  save(await (await send(url, 'text/csv')).blob(), name);
}

export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
