import { Injectable } from '@nestjs/common';
import type { Hit } from '../counting/hit';
import { deriveAgent, isBot } from './agent';
import type { BrowserEvent } from './event';
import { Geography } from './geography';
import { deriveLanguage } from './language';
import { isForeignOrigin } from './origin';
import { derivePage } from './page';
import { deriveReferrer } from './referrer';
import type { TrackedWebsite } from './tracked-websites';
import { UNKNOWN } from './unknown';
import { cutValue } from './values';
import { visitorHash } from './visitor';

/** An event together with what its request tells. It is kept in memory until it is committed, and no longer. */
export interface Arrival {
  event: BrowserEvent;
  /** Milliseconds since 1970. */
  at: number;
  day: number;
  salt: Buffer;
  address: string;
  userAgent: string;
  acceptLanguage: string | undefined;
  origin: string | undefined;
  optedOut: boolean;
}

export type DropReason = 'bot' | 'ip' | 'origin' | 'opt-out';
export type Judgement = { dropped: DropReason } | { hit: Hit };

/** Holds an event against the rules of its website, and derives what is counted. */
@Injectable()
export class Judge {
  constructor(private readonly geography: Geography) {}

  judge(arrival: Arrival, website: TrackedWebsite): Judgement {
    const dropped = dropReason(arrival, website);
    return dropped ? { dropped } : { hit: this.derive(arrival, website) };
  }

  private derive(arrival: Arrival, website: TrackedWebsite): Hit {
    const { event, at, day, salt, address, userAgent, acceptLanguage } = arrival;
    const { page, utm } = derivePage(event.url, website.isDropped);
    const agent = deriveAgent(userAgent);
    const place = this.geography.locate(address);
    return {
      at: Math.floor(at / 1000),
      day,
      visitor: visitorHash(salt, website.id, address, userAgent),
      event: cut(event.event),
      page: cutValue(page),
      referrer: cut(deriveReferrer(event.referrer, website.domain)),
      campaign: cut(utm.campaign),
      browser: agent.browser,
      operatingSystem: agent.operatingSystem,
      device: agent.device,
      language: deriveLanguage(event.language, acceptLanguage),
      screen: event.screen ?? UNKNOWN,
      continent: place.continent,
      country: place.country,
      city: place.city,
      source: cut(utm.source),
      medium: cut(utm.medium),
      term: cut(utm.term),
      content: cut(utm.content),
      browserVersion: agent.browserVersion,
      operatingSystemVersion: agent.operatingSystemVersion,
    };
  }
}

function dropReason(arrival: Arrival, website: TrackedWebsite): DropReason | undefined {
  if (isForeignOrigin(arrival.origin, website.domain)) return 'origin';
  if (arrival.optedOut) return 'opt-out';
  if (website.isExcluded(arrival.address)) return 'ip';
  if (website.excludesBots && isBot(arrival.userAgent)) return 'bot';
  return undefined;
}

function cut(text: string | null): string | null {
  return text === null ? null : cutValue(text);
}
