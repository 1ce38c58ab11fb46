import { MAX_EVENT_AGE } from '../../../engine/hits/events/event-age';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { normaliseAddress } from '../../common/address';
import { MAX_AGENT_LENGTH } from '../../derive/agent';
import { hostedPageIn } from '../../derive/page/host';
import { type PageAddress, parsePageAddress } from '../../derive/page/page-address';
import { storedTitle } from '../../derive/page/title';
import { NotAllowed } from '../../../engine/ground/errors';
import { moment } from '../../../engine/ground/time/parsed';
import { normaliseDomain } from '../../websites/domain';
import { EVENT_SCHEMA, eventDetails } from './event-properties';

/** A field of an event: its check, parser and documentation. */
export interface EventField {
  /** Throws a NotAllowed with the reason. */
  read: (sent: unknown) => unknown;
  schema: ApiPropertyOptions;
}

const MAX_URL_BYTES = 8192;
const MAX_LANGUAGE_LENGTH = 255;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const SCREEN = /^[1-9]\d{0,4}x[1-9]\d{0,4}$/;

const UUID_SCHEMA = { format: 'uuid', example: '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10' };

/** The fields that a browser may send. */
export const BROWSER_FIELDS: Record<string, EventField> = {
  url: required(pageAddress, {
    maxLength: MAX_URL_BYTES,
    example: 'https://example.com/pricing?plan=team',
    description: 'The address of the page, with http or https.',
  }),
  domain: optional(normaliseDomain, {
    example: 'example.com',
    description: 'The website, if it is not the host of the address.',
  }),
  referrer: optional((sent) => hostedPageIn(shortAddress(sent)), {
    maxLength: MAX_URL_BYTES,
    example: 'https://www.google.com/',
    description: 'The address that the visitor came from; its host and path are stored.',
  }),
  title: optional(storedTitle, {
    example: 'Pricing',
    description:
      "The page's title, which is only stored if the website's option titles is 1: the first 255 bytes, without addresses and secrets.",
  }),
  language: optional(languageTag, {
    maxLength: MAX_LANGUAGE_LENGTH,
    example: 'de-DE',
    description: "The visitor's language; by default the preferred one of the header Accept-Language.",
  }),
  screen: optional(screenSize, { pattern: SCREEN.source, example: '1920x1080' }),
  event: {
    read: eventDetails,
    schema: {
      ...EVENT_SCHEMA,
      selfRequired: false,
      nullable: true,
      description: 'The event. Without it, this is a page view.',
    } as unknown as ApiPropertyOptions,
  },
  id: optional(uuid, {
    ...UUID_SCHEMA,
    description: 'Makes it safe to send the event again: it is counted once.',
  }),
};

/** The fields that a server may send for a visitor. */
export const SERVER_FIELDS: Record<string, EventField> = {
  ...BROWSER_FIELDS,
  id: required(uuid, { ...UUID_SCHEMA, description: 'An event with the same id is counted once.' }),
  ip: required(address, {
    example: '203.0.113.7',
    description: "The visitor's IP address. It is not stored.",
  }),
  user_agent: {
    read: agent,
    schema: {
      type: String,
      maxLength: MAX_AGENT_LENGTH,
      example: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      description: "The visitor's user agent. It is not stored.",
    },
  },
  occurred_at: optional(occurredAt, {
    format: 'date-time',
    example: '2026-01-31T12:00:00Z',
    description: `At most ${MAX_EVENT_AGE} ago; by default now.`,
  }),
};

function text(sent: unknown): string {
  if (typeof sent !== 'string') throw new NotAllowed('must be a text');
  return sent;
}

function required(check: (sent: string) => unknown, schema: object): EventField {
  const read = (sent: unknown) => {
    if (sent === undefined || sent === null || sent === '') throw new NotAllowed('is required');
    return check(text(sent));
  };
  return { read, schema: { type: String, ...schema } };
}

/** An empty text and null count as absent. */
function optional(check: (sent: string) => unknown, schema: object): EventField {
  const read = (sent: unknown) =>
    sent === undefined || sent === null || sent === '' ? null : check(text(sent));
  return { read, schema: { type: String, required: false, nullable: true, ...schema } };
}

function shortAddress(sent: string): string {
  if (Buffer.byteLength(sent) > MAX_URL_BYTES) throw new NotAllowed('must have at most 8,192 bytes');
  return sent;
}

function pageAddress(sent: string): PageAddress {
  const address = parsePageAddress(shortAddress(sent));
  if (!address) throw new NotAllowed('must be the address of a page, with http or https');
  return address;
}

function languageTag(sent: string): string {
  if (sent.length > MAX_LANGUAGE_LENGTH) throw new NotAllowed('must have at most 255 characters');
  return sent;
}

function screenSize(sent: string): string {
  if (!SCREEN.test(sent)) throw new NotAllowed('must be digits like 1920x1080');
  return sent;
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
  if (text(sent).length > MAX_AGENT_LENGTH)
    throw new NotAllowed(`must have at most ${MAX_AGENT_LENGTH.toLocaleString('en')} characters`);
  return text(sent);
}

function occurredAt(sent: string): number {
  const milliseconds = moment(sent, MOMENT);
  if (Number.isNaN(milliseconds))
    throw new NotAllowed('must be a moment in ISO 8601 like 2026-01-31T12:00:00Z');
  return milliseconds;
}
