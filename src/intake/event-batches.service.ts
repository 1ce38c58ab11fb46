import { Injectable } from '@nestjs/common';
import { yieldIfNeeded } from '../../engine/ground/time/yield-if-needed';
import { WebsitesService } from '../websites/websites.service';
import { Arrivals, bytesOf, type Client } from './events/arrivals';
import type { ServerEvent } from './events/event';
import type { Arrival } from './events/website-rules';
import {
  checkEvent,
  type EventVerdict,
  type ParsedEvent,
  parseEvent,
  subdomainsIn,
} from './events/rejected-events';
import { REFUSED_EVENTS } from './event-counts';
import { Inbox } from './inbox/inbox';
import { HitStore } from '../../engine/port';

/**
 * Accepts batches of events from owners' servers, once they are checked, processed and committed. A batch is refused by
 * its body (`http/requests/read-body.ts`), its fields (`tracking/dto/event.dto.ts`), too many waiting events
 * (`engine/columns/fold/refused-websites.ts`) or the inbox; a single event in `events/event-verdicts.ts`.
 */
@Injectable()
export class EventBatchesService {
  constructor(
    private readonly inbox: Inbox,
    private readonly arrivals: Arrivals,
    private readonly websites: WebsitesService,
    private readonly store: HitStore,
  ) {}

  /** Reads the events after it has found the website. Returns a verdict for each, in their order. */
  async accept(ownerId: number, websiteId: number, read: () => Promise<unknown[]>): Promise<EventVerdict[]> {
    const { domain } = await this.websites.show(ownerId, websiteId);
    const sent = await read();
    this.store.expectRoom(websiteId);
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
      if (event) arrivals.push(await this.arrivals.of(event, event.occurredAt ?? now, asClient(event)));
    const bytes = arrivals.reduce((sum, arrival) => sum + bytesOf(arrival), 0);
    const verdicts = await this.inbox.submit({
      source: 'server',
      owner: ownerId,
      domain,
      websiteId,
      arrivals,
      bytes,
    });
    const rejected = checked.filter(({ event }) => !event).length;
    if (rejected > 0) REFUSED_EVENTS.add(rejected, 'server', 'rejected');
    let next = 0;
    return checked.map(({ id, event, reason }) =>
      event ? { id: event.id, ...verdicts[next++]! } : { id, status: 'rejected', reason: reason! },
    );
  }
}

function asClient({ ip, userAgent }: ServerEvent): Client {
  return { address: ip, userAgent, acceptLanguage: undefined, origin: undefined, asksNotToBeTracked: false };
}
