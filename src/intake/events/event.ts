import { InvalidFields } from '../../../engine/ground/errors';
import type { HostedPage } from '../../derive/page/host';
import type { PageAddress } from '../../derive/page/page-address';
import { NotAllowed } from '../../../engine/ground/errors';
import type { Fields } from '../../validation/fields';
import type { EventDetails } from './event-properties';
import { BROWSER_FIELDS, type EventField, SERVER_FIELDS } from './event-fields';

/** An event as a browser sends it, checked. */
export interface BrowserEvent {
  url: PageAddress;
  domain: string | null;
  referrer: HostedPage | null;
  title: string | null;
  language: string | null;
  screen: string | null;
  /** Null for a page view. */
  event: EventDetails | null;
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

export function parseBrowserEvent(sent: unknown): BrowserEvent {
  return parse<BrowserEvent>(sent, BROWSER_FIELDS);
}

export function parseServerEvent(sent: unknown): ServerEvent {
  const { user_agent, occurred_at, ...event } = parse<SentByServer>(sent, SERVER_FIELDS);
  return { ...event, userAgent: user_agent, occurredAt: occurred_at };
}

type SentByServer = Omit<ServerEvent, 'userAgent' | 'occurredAt'> & {
  user_agent: string;
  occurred_at: number | null;
};

function parse<T>(sent: unknown, fields: Record<string, EventField>): T {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new InvalidFields({ body: ['must be an object of fields'] });
  const errors = unknownFields(sent, fields);
  const event: Record<string, unknown> = {};
  for (const [name, { read }] of Object.entries(fields)) {
    try {
      event[name] = read(Object.hasOwn(sent, name) ? (sent as Fields)[name] : undefined);
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error;
      errors.push([name, [error.message]]);
    }
  }
  if (errors.length > 0) throw new InvalidFields(Object.fromEntries(errors));
  return event as T;
}

function unknownFields(sent: object, known: object): [string, string[]][] {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return [];
  const reason = `is not a known field (allowed: ${Object.keys(known).join(', ')})`;
  return unknown.slice(0, 20).map((name) => [name.slice(0, 100), [reason]]);
}
