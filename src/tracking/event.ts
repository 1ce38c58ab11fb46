import type { Fields } from '../common/body';
import { NotAllowed } from '../common/fields';
import { InvalidFields } from '../common/problem';
import { normaliseDomain } from '../websites/domain';
import { normaliseAddress } from './addresses';
import { hostOf } from './host';

/** An event as a browser sends it, checked. */
export interface BrowserEvent {
  url: string;
  domain: string | null;
  referrer: string | null;
  language: string | null;
  screen: string | null;
  /** The name of the event; null for a page view. */
  event: string | null;
  id: string | null;
}

/** An event as a server sends it for a visitor, checked. */
export interface ServerEvent extends BrowserEvent {
  id: string;
  ip: string;
  userAgent: string;
  /** Milliseconds since 1970; null for now. */
  occurredAt: number | null;
}

type Check<T> = (sent: unknown) => T;

const LONGEST_URL = 8192;
const LONGEST_LANGUAGE = 255;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

const BROWSER_CHECKS: { [field: string]: Check<unknown> } = {
  url: required(pageAddress),
  domain: optional(normaliseDomain),
  referrer: optional(shortAddress),
  language: optional(languageTag),
  screen: optional(screenSize),
  event: eventName,
  id: optional(uuid),
};

const SERVER_CHECKS: { [field: string]: Check<unknown> } = {
  ...BROWSER_CHECKS,
  id: required(uuid),
  ip: required(address),
  user_agent: agent,
  occurred_at: optional(moment),
};

export function parseBrowserEvent(sent: unknown): BrowserEvent {
  return parse<BrowserEvent>(sent, BROWSER_CHECKS);
}

export function parseServerEvent(sent: unknown): ServerEvent {
  const { user_agent, occurred_at, ...event } = parse<SentByServer>(sent, SERVER_CHECKS);
  return { ...event, userAgent: user_agent, occurredAt: occurred_at };
}

type SentByServer = Omit<ServerEvent, 'userAgent' | 'occurredAt'> & {
  user_agent: string;
  occurred_at: number | null;
};

function parse<T>(sent: unknown, checks: { [field: string]: Check<unknown> }): T {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new InvalidFields({ body: ['must be an object of fields'] });
  const errors = unknownFields(sent, checks);
  const event: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      event[name] = check(Object.hasOwn(sent, name) ? (sent as Fields)[name] : undefined);
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error;
      errors.push([name, [error.message]]);
    }
  }
  if (errors.length > 0) throw new InvalidFields(Object.fromEntries(errors));
  return event as T;
}

function unknownFields(sent: object, checks: object): [string, string[]][] {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length === 0) return [];
  const reason = `is not known here; allowed are ${Object.keys(checks).join(', ')}`;
  return unknown.slice(0, 20).map((name) => [name.slice(0, 100), [reason]]);
}

function text(sent: unknown): string {
  if (typeof sent !== 'string') throw new NotAllowed('must be a text');
  return sent;
}

function required<T>(check: (sent: string) => T): Check<T> {
  return (sent) => {
    if (sent === undefined || sent === null || sent === '') throw new NotAllowed('is required');
    return check(text(sent));
  };
}

function optional<T>(check: (sent: string) => T): Check<T | null> {
  return (sent) => (sent === undefined || sent === null || sent === '' ? null : check(text(sent)));
}

function shortAddress(sent: string): string {
  if (Buffer.byteLength(sent) > LONGEST_URL) throw new NotAllowed('must have at most 8,192 bytes');
  return sent;
}

/** `URL.canParse` of Node 20 and 22 refuses hosts with umlauts once it was called some thousand times. */
function pageAddress(sent: string): string {
  if (!/^https?:\/\//i.test(shortAddress(sent)) || hostOf(sent) === null)
    throw new NotAllowed('must be the address of a page, with http or https');
  return sent;
}

function languageTag(sent: string): string {
  if (sent.length > LONGEST_LANGUAGE) throw new NotAllowed('must have at most 255 characters');
  return sent;
}

function screenSize(sent: string): string {
  if (!/^[1-9]\d{0,4}x[1-9]\d{0,4}$/.test(sent)) throw new NotAllowed('must be digits such as 1920x1080');
  return sent;
}

function eventName(sent: unknown): string | null {
  if (sent === undefined || sent === null) return null;
  if (typeof sent !== 'object' || Array.isArray(sent))
    throw new NotAllowed('must be an object such as {"name": "signup"}');
  const { name, ...unknown } = sent as Fields;
  const [more] = Object.keys(unknown);
  if (more !== undefined)
    throw new NotAllowed(
      `has ${JSON.stringify(more.slice(0, 100))}, which is not known here; allowed is name`,
    );
  if (typeof name !== 'string' || name === '')
    throw new NotAllowed('needs a name that is a text and not empty');
  return name;
}

function uuid(sent: string): string {
  if (!UUID.test(sent)) throw new NotAllowed('must be a UUID');
  return sent;
}

function address(sent: string): string {
  const normalised = normaliseAddress(sent);
  if (!normalised) throw new NotAllowed('must be an IPv4 or IPv6 address');
  return normalised;
}

function agent(sent: unknown): string {
  if (sent === undefined || sent === null) throw new NotAllowed('is required');
  return text(sent);
}

function moment(sent: string): number {
  const milliseconds = MOMENT.test(sent) ? Date.parse(sent) : NaN;
  if (Number.isNaN(milliseconds))
    throw new NotAllowed('must be a moment in ISO 8601 such as 2026-01-31T12:00:00Z');
  return milliseconds;
}
