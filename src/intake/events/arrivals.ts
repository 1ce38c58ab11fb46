import { Injectable } from '@nestjs/common';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { Settings } from '../../config/settings';
import { InboxHealth } from '../inbox/inbox-health';
import { Salts } from '../salts';
import type { BrowserEvent } from './event';
import type { Arrival } from './website-rules';

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

/** Adds the data of their requests to events, and the salt of their day. */
@Injectable()
export class Arrivals {
  private readonly clock: DayClock;

  constructor(
    private readonly health: InboxHealth,
    private readonly salts: Salts,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  async of(event: BrowserEvent, at: number, client: Client): Promise<Arrival> {
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
export function bytesOf({ event, userAgent, acceptLanguage, origin }: Arrival): number {
  return (
    BYTES_PER_EVENT +
    event.url.bytes +
    userAgent.length +
    lengthOf(acceptLanguage) +
    lengthOf(origin) +
    lengthOf(event.domain) +
    lengthOf(event.referrer?.page) +
    lengthOf(event.title) +
    lengthOf(event.language) +
    (event.event?.bytes ?? 0) +
    lengthOf(event.id)
  );
}

function lengthOf(text: string | null | undefined): number {
  return text?.length ?? 0;
}
