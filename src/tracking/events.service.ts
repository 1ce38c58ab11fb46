import { Injectable } from '@nestjs/common';
import { SENT_TWICE } from '../common/body';
import { DayClock } from '../common/day-clock';
import { InvalidFields } from '../common/problem';
import { Settings } from '../config/settings';
import { WebsitesService } from '../websites/websites.service';
import { type BrowserEvent, parseBrowserEvent, parseServerEvent, type ServerEvent } from './event';
import { hostOf } from './host';
import { type DropReason, type Arrival } from './judge';
import { Inbox, type Verdict } from './inbox';
import { Salts } from './salts';

/** What the request of a browser tells besides its body. */
export interface Client {
  address: string;
  userAgent: string;
  acceptLanguage: string | undefined;
  origin: string | undefined;
  asksNotToBeTracked: boolean;
}

export interface EventVerdict {
  id: string | null;
  status: 'accepted' | 'duplicate' | 'dropped' | 'rejected';
  reason?: string;
}

const MOST_EVENTS = 1000;
const LONGEST_AGO_MS = 47 * 3_600_000;
const CLOCKS_DIFFER_MS = 60_000;
const MEMORY_OF_AN_EVENT = 1024;

/** Takes events in: checked, judged, and safely stored when its promise resolves. */
@Injectable()
export class EventsService {
  private readonly clock: DayClock;

  constructor(
    private readonly inbox: Inbox,
    private readonly salts: Salts,
    private readonly websites: WebsitesService,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  /** One event from a browser; tells why it was dropped, if it was. */
  async accept(sent: unknown, client: Client): Promise<DropReason | undefined> {
    const event = parseBrowserEvent(sent);
    const arrival = await this.arrival(event, Date.now(), client);
    const domain = event.domain ?? hostOf(event.url) ?? '';
    const bytes = MEMORY_OF_AN_EVENT + event.url.length + (event.referrer?.length ?? 0);
    const [verdict] = await this.inbox.submit({ domain, arrivals: [arrival], bytes });
    return verdict!.status === 'dropped' ? verdict!.reason : undefined;
  }

  /** Many events from a server of the website's owner, with a verdict for each, in their order. */
  async acceptBatch(ownerId: number, websiteId: number, sent: unknown): Promise<EventVerdict[]> {
    const { domain } = await this.websites.show(ownerId, websiteId);
    const now = Date.now();
    const parsed = eventsOf(sent).map(parse);
    const others = await this.websites.registered(subdomainsIn(parsed, domain));
    const checked = parsed.map((one) => check(one, domain, others, now));
    const arrivals: Arrival[] = [];
    for (const { event } of checked)
      if (event) arrivals.push(await this.arrival(event, event.occurredAt ?? now, asClient(event)));
    const bytes = arrivals.reduce((sum, { event }) => sum + MEMORY_OF_AN_EVENT + event.url.length, 0);
    const verdicts = await this.inbox.submit({ domain, websiteId, arrivals, bytes });
    let next = 0;
    return checked.map(({ id, event, reason }) =>
      event ? worded(event.id, verdicts[next++]!) : { id, status: 'rejected', reason: reason! },
    );
  }

  private async arrival(event: BrowserEvent, at: number, client: Client): Promise<Arrival> {
    const day = this.clock.dayOf(at);
    return {
      event,
      at,
      day,
      salt: this.salts.kept(day) ?? (await this.salts.of(day)),
      address: client.address,
      userAgent: client.userAgent,
      acceptLanguage: client.acceptLanguage,
      origin: client.origin,
      optedOut: this.settings.respectOptOut && client.asksNotToBeTracked,
    };
  }
}

interface Parsed {
  id: string | null;
  event?: ServerEvent;
  reason?: string;
}

function eventsOf(sent: unknown): unknown[] {
  const { events, ...unknown } = (typeof sent === 'object' && sent !== null ? sent : {}) as {
    events?: unknown;
  };
  const errors: [string, string[]][] = Object.keys(unknown)
    .slice(0, 20)
    .map((name) => [name.slice(0, 100), ['is not known here; allowed is events']]);
  if (events === SENT_TWICE) errors.push(['events', ['must be sent once']]);
  else if (!Array.isArray(events) || events.length === 0 || events.length > MOST_EVENTS)
    errors.push(['events', [`must be an array of 1 to ${MOST_EVENTS.toLocaleString('en')} events`]]);
  if (errors.length > 0) throw new InvalidFields(Object.fromEntries(errors));
  return events as unknown[];
}

function parse(sent: unknown): Parsed {
  const { id } = (sent ?? {}) as { id?: unknown };
  try {
    const event = parseServerEvent(sent);
    return { id: event.id, event };
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return { id: typeof id === 'string' ? id.slice(0, 100) : null, reason: inOneLine(error) };
  }
}

/** The subdomains that events name by their `url` alone: each may be a website of its own. */
function subdomainsIn(parsed: Parsed[], domain: string): string[] {
  const hosts = parsed.flatMap(({ event }) => (event?.domain === null ? [hostOf(event.url)!] : []));
  return [...new Set(hosts.filter((host) => host.endsWith(`.${domain}`)))];
}

function check(parsed: Parsed, domain: string, others: Set<string>, now: number): Parsed {
  const { id, event } = parsed;
  const reason = event && problemOf(event, domain, others, now);
  return reason ? { id, reason } : parsed;
}

function problemOf(event: ServerEvent, domain: string, others: Set<string>, now: number): string | undefined {
  if (!belongsTo(domain, others, event)) return 'url: belongs to another website';
  if (event.occurredAt === null) return undefined;
  if (event.occurredAt < now - LONGEST_AGO_MS) return 'occurred_at: must not be more than 47 hours ago';
  if (event.occurredAt > now + CLOCKS_DIFFER_MS) return 'occurred_at: must not lie in the future';
  return undefined;
}

function belongsTo(domain: string, others: Set<string>, event: ServerEvent): boolean {
  if (event.domain !== null) return event.domain === domain;
  const host = hostOf(event.url)!;
  return host === domain || (host.endsWith(`.${domain}`) && !others.has(host));
}

function inOneLine({ errors }: InvalidFields): string {
  return Object.entries(errors ?? {})
    .map(([field, [problem]]) => `${field}: ${problem}`)
    .join('; ');
}

function asClient({ ip, userAgent }: ServerEvent): Client {
  return { address: ip, userAgent, acceptLanguage: undefined, origin: undefined, asksNotToBeTracked: false };
}

function worded(id: string, verdict: Verdict): EventVerdict {
  return { id, ...verdict };
}
