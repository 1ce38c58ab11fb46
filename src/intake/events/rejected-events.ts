import { InvalidFields } from '../../../engine/ground/errors';
import { MAX_EVENT_AGE, MAX_EVENT_AGE_MS } from '../../../engine/hits/events/event-age';
import { parseServerEvent, type ServerEvent } from './event';
import { CLOCKS_DIFFER_MS } from '../../../engine/ground/time/clock-from';

export interface EventVerdict {
  id: string | null;
  status: 'accepted' | 'duplicate' | 'dropped' | 'rejected';
  reason?: string;
}

/** An event of a batch, or why it is rejected. */
export interface ParsedEvent {
  id: string | null;
  event?: ServerEvent;
  reason?: string;
}

export function parseEvent(sent: unknown): ParsedEvent {
  const { id } = (sent ?? {}) as { id?: unknown };
  try {
    const event = parseServerEvent(sent);
    return { id: event.id, event };
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return { id: typeof id === 'string' ? id.slice(0, 100) : null, reason: inOneLine(error) };
  }
}

/** Subdomains in the `url` of events without `domain`, each of which may be a separate website. */
export function subdomainsIn(parsed: ParsedEvent[], domain: string): string[] {
  const hosts = parsed.flatMap(({ event }) => (event?.domain === null ? [event.url.host] : []));
  return [...new Set(hosts.filter((host) => host.endsWith(`.${domain}`)))];
}

export function checkEvent(
  parsed: ParsedEvent,
  domain: string,
  others: Set<string>,
  now: number,
): ParsedEvent {
  const { id, event } = parsed;
  const reason = event && problemOf(event, domain, others, now);
  return reason ? { id, reason } : parsed;
}

function problemOf(event: ServerEvent, domain: string, others: Set<string>, now: number): string | undefined {
  if (!belongsTo(domain, others, event)) return 'url: belongs to another website';
  if (event.occurredAt === null) return undefined;
  if (event.occurredAt < now - MAX_EVENT_AGE_MS)
    return `occurred_at: must not be more than ${MAX_EVENT_AGE} ago`;
  if (event.occurredAt > now + CLOCKS_DIFFER_MS) return 'occurred_at: must not be in the future';
  return undefined;
}

function belongsTo(domain: string, others: Set<string>, event: ServerEvent): boolean {
  if (event.domain !== null) return event.domain === domain;
  const { host } = event.url;
  return host === domain || (host.endsWith(`.${domain}`) && !others.has(host));
}

function inOneLine({ errors }: InvalidFields): string {
  return Object.entries(errors ?? {})
    .map(([field, [problem]]) => `${field}: ${problem}`)
    .join('; ');
}
