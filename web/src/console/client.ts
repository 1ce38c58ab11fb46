import type { components } from '../../../clients/typescript/src/openapi';
import type { Language } from '../shared/language/language';
import { type FieldProblems, problemsOf, wordedProblems } from '../shared/language/worded-problems';

type Schemas = components['schemas'];
export type Website = Schemas['Website'];
export type Key = Schemas['Key'];
export type NewKey = Schemas['NewKey'];

export interface User {
  email: string;
  /** The language of mails. */
  language: Language;
}

export interface Session extends User {
  key: Key;
  /** Sent with every change. */
  token: string;
  /** The reader's own address, or its IPv6 network. */
  address: string;
}

export interface PageOf<T> {
  data: T[];
  meta: Schemas['PageMeta'];
}

export const API = 'console/api';

/** A request that the service rejected. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly errors: FieldProblems = {},
  ) {
    super(detail);
  }
}

interface Sent {
  fields?: object;
  headers?: Record<string, string>;
}

/** An answer of the console's API. Undefined if it has no content. */
export async function call<T>(method: string, path: string, { fields, headers }: Sent = {}): Promise<T> {
  const answer = await fetch(`${API}/${path}`, {
    method,
    headers: {
      Accept: 'application/json',
      ...(fields && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(fields && { body: JSON.stringify(fields) }),
  }).catch(() => {
    throw new Refusal(0, '');
  });
  const body = (answer.status === 204 ? {} : await answer.json().catch(() => ({}))) as {
    data?: T;
    detail?: string;
    errors?: FieldProblems;
  };
  if (!answer.ok) throw await refusalOf(answer.status, body);
  return body.data as T;
}

/** What the API says, in the language of the page. */
async function refusalOf(
  status: number,
  { detail = '', errors = {} }: { detail?: string; errors?: FieldProblems },
): Promise<Refusal> {
  const worded = await wordedProblems();
  return new Refusal(status, worded(detail), problemsOf(errors, worded));
}

/** The headers of every request except plain reads. */
export const headersOf = ({ token }: Session) => ({ 'X-Milepost-Token': token });

/** A change on behalf of a session. */
export function change<T>(session: Session, method: string, path: string, fields?: object): Promise<T> {
  return call<T>(method, path, { headers: headersOf(session), ...(fields && { fields }) });
}

/** The visitors of one website, or of a page of all websites together. */
export interface Visitors {
  /** By day, the oldest first. */
  visitors: number[];
  /** Of the days that are 28 days before those of `visitors` that are over. */
  visitors_before: number;
  /** The first day with visitors, if it is later than the first of the days before. */
  since: string | null;
}

/** What the list shows of a website besides its options. */
export interface Recent extends Visitors {
  website_id: number;
  /** In the last 5 minutes. Null while the service is busy. */
  visitors_now: number | null;
}

export interface ReportStatus {
  recipient: string;
  off: 'no_mail_server' | 'no_sender' | 'turned_off' | null;
  next: { every: 'weekly' | 'monthly'; on: string } | null;
  last: { state: string; recipient: string | null; reason: string | null; changed_at: string } | null;
}

export interface Surroundings {
  timezone: string;
  /** The address under which websites reach the service. */
  base: string;
  attributesGeography: boolean;
  /** Tells whether the service has no database of places. */
  lacksPlaces: boolean;
  /** The release of the service. */
  version: string;
  /** How commands begin on the server. */
  command: string;
  /** Tells whether old hits are rows of the database. */
  hasRows: boolean;
}
