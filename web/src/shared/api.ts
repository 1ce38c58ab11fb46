import { type Cell, csvLine } from '../../../engine/hits/files/csv';
import type { components } from '../../../clients/typescript/src/openapi';
import { type FieldProblems, problemsOf, wordedProblems } from './language/worded-problems';
import type { Counted, Name } from './names';
import type { Unit } from './ranges';

type Schemas = components['schemas'];
export type StatSummary = Schemas['StatSummary'];
export type StatEntry = Schemas['StatEntry'];
export type PageMeta = Schemas['PageMeta'];
export type Warning = Schemas['Warning'];
export type Excluded = Schemas['Excluded'];
export interface SummaryAnswer {
  data: StatSummary[];
  meta: Schemas['SummaryMeta'];
}
export interface StatsAnswer {
  data: StatEntry[];
  meta: Schemas['StatsMeta'];
}

export type LiveWindow = Schemas['LiveWindow'];
type Totals = Schemas['LiveTotals'];
/** Only the owner sees the details of live visitors. */
export interface LiveAnswer {
  data: (Required<Pick<Totals, 'last_5_minutes' | 'last_30_minutes'>> & Totals) | Schemas['Live'];
  meta: Schemas['LiveMeta'];
}

/** Tells whether there are no numbers, as on a page that is limited to a saved filter. */
export function isLeftOut(live: LiveAnswer | null | undefined): boolean {
  return live ? !('last_5_minutes' in live.data) : false;
}

export function isWhole(one: Schemas['LiveTotal'] | LiveWindow): one is LiveWindow {
  return 'pages' in one;
}

/** Null for numbers that the viewer may not see. */
type Numbers = Partial<
  Record<Counted | 'views_per_visit' | 'conversions' | 'converters' | 'conversion_rate', number | null>
>;
/** The values of the dimensions, and the metrics. */
export type QueryRow = Numbers & {
  previous?: Numbers;
  /** The bucket that `previous` is of, if that was queried by itself. */
  counterpart?: string;
  value?: string | null;
} & Partial<Record<Name | Unit, string>>;
export interface QueryAnswer {
  data: QueryRow[];
  meta: Schemas['QueryMeta'];
}
export interface QueriesAnswer {
  data: QueryAnswer[];
}

/** A request for statistics. With a body, it is sent as a query. */
export interface QueryToSend {
  url: string;
  body?: object;
  headers?: Record<string, string>;
}

type FailureKind = 'offline' | 'limited' | 'busy' | 'password' | 'signin' | 'gone' | 'refused' | 'other';

/** Why there is no answer, as far as a reader needs to know. */
export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    /** Of a request that was refused. */
    readonly errors: FieldProblems = {},
  ) {
    super(kind);
  }
}

const KINDS: Record<number, FailureKind> = {
  401: 'signin',
  403: 'password',
  404: 'gone',
  422: 'refused',
  429: 'limited',
  503: 'busy',
};

export type Parameters = Record<string, string | number | undefined>;

export function urlOf(base: string, parameters: Parameters): string {
  const sent = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return `${base}?${new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString()}`;
}

export async function load<T>({ url, body, headers }: QueryToSend, signal: AbortSignal): Promise<T> {
  const sent = body && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, Accept: 'application/json', 'Content-Type': 'application/json' },
  };
  const answer = await fetch(url, { headers: { Accept: 'application/json' }, ...sent, signal }).catch(
    (error: unknown) => {
      throw signal.aborted ? error : new Failure('offline');
    },
  );
  if (!answer.ok) throw await failedBy(answer);
  return (await answer.json()) as T;
}

async function failedBy(answer: Response): Promise<Failure> {
  const kind = KINDS[answer.status] ?? 'other';
  if (kind !== 'refused') return new Failure(kind);
  const { errors = {} } = (await answer.json().catch(() => ({}))) as { errors?: FieldProblems };
  return new Failure(kind, problemsOf(errors, await wordedProblems()));
}

/** The page shows these elsewhere: in its footer, or for all numbers of a shared page. */
const SAID_ELSEWHERE = [
  'rows_overlap',
  'today_left_out',
  'small_numbers_grouped',
  'quiet_days_left_out',
] as const satisfies Warning['code'][];

/** A warning that the page has its own sentence for. */
export type ShownWarning = Exclude<Warning['code'], (typeof SAID_ELSEWHERE)[number]>;

/** The warnings for the page to show, without duplicates. */
export function shownWarnings(warnings: Warning[]): ShownWarning[] {
  const codes = new Set(warnings.map(({ code }) => code));
  return [...codes].filter((code): code is ShownWarning => !SAID_ELSEWHERE.some((other) => other === code));
}

/** Tells whether a warning says that hits are stored, or a name is collected, since a day of the range. */
export const isSince = ({ code }: Warning) => code === 'kept_since' || code === 'collected_since';

/** Tells whether an answer covers only a part of its range. An earlier range like this is not compared with. */
export const isIncomplete = ({ meta }: { meta: { warnings?: Warning[] } }) =>
  meta.warnings?.some(isSince) ?? false;

/** Saves a table as a file. */
export function saveCsv(rows: readonly (readonly Cell[])[], name: string): void {
  saveBlob(new Blob(rows.map(csvLine), { type: 'text/csv' }), name);
}

export function saveBlob(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
