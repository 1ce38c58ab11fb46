import { Injectable } from '@nestjs/common';
import { DayClock } from '../common/time/day-clock';
import { yieldIfNeeded } from '../common/time/yield-if-needed';
import { NotFound } from '../common/problem';
import { Settings } from '../config/settings';
import { WaitingEvents } from '../counting/fold/waiting-events';
import { WebsitesService } from '../websites/websites.service';
import {
  checkEvent,
  type EventVerdict,
  type ParsedEvent,
  parseEvent,
  subdomainsIn,
} from './events/event-verdicts';
import { type BrowserEvent, parseBrowserEvent, type ServerEvent } from './events/event';
import type { DropReason } from '../storage/events/dropped-events';
import type { Arrival } from './events/event-processor';
import { Inbox } from './inbox/inbox';
import { InboxHealth } from './inbox/inbox-health';
import { Salts } from './salts';
import { TrackedWebsites } from './tracked-websites';
import { UnregisteredDomains } from './unregistered-domains';

/** Data of a browser's request besides its body. */
export interface Client {
  address: string;
  userAgent: string;
  acceptLanguage: string | undefined;
  origin: string | undefined;
  asksNotToBeTracked: boolean;
}

/** Memory of a waiting event without its texts. */
const BYTES_PER_EVENT = 1024;

/** Accepts events. The returned promise resolves after they are checked, processed and committed. */
@Injectable()
export class EventsService {
  private readonly clock: DayClock;
  private readonly unregistered = new UnregisteredDomains();

  constructor(
    private readonly inbox: Inbox,
    private readonly health: InboxHealth,
    private readonly salts: Salts,
    private readonly websites: WebsitesService,
    private readonly tracked: TrackedWebsites,
    private readonly waiting: WaitingEvents,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  /** Accepts one event of a browser. Returns the reason if a rule dropped it. */
  async accept(sent: unknown, client: Client): Promise<DropReason | undefined> {
    const event = parseBrowserEvent(sent);
    const domain = event.domain ?? event.url.host;
    const known = this.tracked.known(domain);
    if (known) this.waiting.check(known.id);
    const arrival = await this.arrival(event, Date.now(), client);
    const bytes = bytesOf(arrival);
    const [verdict] = await this.inbox
      .submit({ source: 'browser', owner: domain, domain, arrivals: [arrival], bytes })
      .catch((error: unknown) => {
        if (error instanceof NotFound) this.unregistered.add(domain);
        throw error;
      });
    return verdict!.status === 'dropped' ? verdict!.reason : undefined;
  }

  /**
   * Accepts a batch of events from the owner's server. It reads them after it has found the website. Returns a verdict for
   * each, in their order.
   */
  async acceptBatch(
    ownerId: number,
    websiteId: number,
    read: () => Promise<unknown[]>,
  ): Promise<EventVerdict[]> {
    const { domain } = await this.websites.show(ownerId, websiteId);
    const sent = await read();
    this.waiting.check(websiteId);
    const now = Date.now();
    const parsed: ParsedEvent[] = [];
    for (const event of sent) {
      parsed.push(parseEvent(event));
      await yieldIfNeeded();
    }
    const others = await this.websites.registered(subdomainsIn(parsed, domain));
    const checked = parsed.map((one) => checkEvent(one, domain, others, now));
    const arrivals: Arrival[] = [];
    for (const { event } of checked)
      if (event) arrivals.push(await this.arrival(event, event.occurredAt ?? now, asClient(event)));
    const bytes = arrivals.reduce((sum, arrival) => sum + bytesOf(arrival), 0);
    const verdicts = await this.inbox.submit({
      source: 'server',
      owner: ownerId,
      domain,
      websiteId,
      arrivals,
      bytes,
    });
    let next = 0;
    return checked.map(({ id, event, reason }) =>
      event ? { id: event.id, ...verdicts[next++]! } : { id, status: 'rejected', reason: reason! },
    );
  }

  private async arrival(event: BrowserEvent, at: number, client: Client): Promise<Arrival> {
    const day = this.clock.dayOf(at);
    return {
      event,
      at,
      day,
      salt: this.salts.cached(day) ?? (await this.health.watch(() => this.salts.of(day))),
      address: client.address,
      userAgent: client.userAgent,
      acceptLanguage: client.acceptLanguage,
      origin: client.origin,
      optedOut: this.settings.respectOptOut && client.asksNotToBeTracked,
    };
  }
}

/** Approximate memory of a waiting event, with all its texts. */
function bytesOf({ event, userAgent, acceptLanguage, origin }: Arrival): number {
  return (
    BYTES_PER_EVENT +
    event.url.bytes +
    userAgent.length +
    lengthOf(acceptLanguage) +
    lengthOf(origin) +
    lengthOf(event.domain) +
    lengthOf(event.referrer?.page) +
    lengthOf(event.language) +
    (event.event?.bytes ?? 0) +
    lengthOf(event.id)
  );
}

function lengthOf(text: string | null | undefined): number {
  return text?.length ?? 0;
}

function asClient({ ip, userAgent }: ServerEvent): Client {
  return { address: ip, userAgent, acceptLanguage: undefined, origin: undefined, asksNotToBeTracked: false };
}
