import { Injectable } from '@nestjs/common';
import { NotFound } from '../common/problems';
import { HitStore } from '../../engine/port';
import type { DropReason } from '../../engine/hits/events/dropped-events';
import { Arrivals, bytesOf, type Client } from './events/arrivals';
import { parseBrowserEvent } from './events/event';
import { Inbox } from './inbox/inbox';
import { TrackedWebsites } from './tracked-websites';
import { UnregisteredDomains } from './unregistered-domains';

/** Accepts events of browsers. The returned promise resolves after they are checked, processed and committed. */
@Injectable()
export class EventsService {
  private readonly unregistered = new UnregisteredDomains();

  constructor(
    private readonly inbox: Inbox,
    private readonly arrivals: Arrivals,
    private readonly tracked: TrackedWebsites,
    private readonly store: HitStore,
  ) {}

  /** Returns the reason if a rule dropped the event. */
  async accept(sent: unknown, client: Client): Promise<DropReason | undefined> {
    const event = parseBrowserEvent(sent);
    const domain = event.domain ?? event.url.host;
    const known = this.tracked.known(domain);
    if (known) this.store.expectRoom(known.id);
    const arrival = await this.arrivals.of(event, Date.now(), client);
    const bytes = bytesOf(arrival);
    const [verdict] = await this.inbox
      .submit({ source: 'browser', owner: domain, domain, arrivals: [arrival], bytes })
      .catch((error: unknown) => {
        if (error instanceof NotFound) this.unregistered.add(domain);
        throw error;
      });
    return verdict!.status === 'dropped' ? verdict!.reason : undefined;
  }
}
