import { Injectable } from '@nestjs/common';
import { type Agent, deriveAgent } from '../../derive/agent';
import { cutValue, UNKNOWN } from '../../derive/cut-value';
import { Geography } from '../../derive/geography/geography';
import { deriveLanguage } from '../../derive/language';
import { isForeignOrigin } from '../../derive/origin';
import { derivePage } from '../../derive/page/page-address';
import { deriveReferrer } from '../../derive/page/host';
import { visitorHash } from '../../derive/visitor';
import type { DropReason } from '../../../engine/hits/events/dropped-events';
import type { Hit } from '../../../engine/hits/hit';
import type { BrowserEvent } from './event';
import type { TrackedWebsite } from '../tracked-websites';

/** An event with the data of its request. It leaves memory once the event is committed. */
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

export type Decision = { dropped: DropReason } | { hit: Hit };

/** Applies a website's rules to an event and derives the hit. */
@Injectable()
export class EventRules {
  constructor(private readonly geography: Geography) {}

  process(arrival: Arrival, website: TrackedWebsite): Decision {
    const agent = deriveAgent(arrival.userAgent);
    const dropped = dropReason(arrival, agent, website);
    return dropped ? { dropped } : { hit: this.derive(arrival, agent, website) };
  }

  private derive(arrival: Arrival, agent: Agent, website: TrackedWebsite): Hit {
    const { event, at, day, salt, address, userAgent, acceptLanguage } = arrival;
    const { host, utm, clickId } = event.url;
    const referrer = deriveReferrer(event.referrer, website.domain);
    const details = event.event;
    const place = this.geography.locate(address);
    return {
      at: Math.floor(at / 1000),
      day,
      visitor: visitorHash(salt, website.id, address, userAgent),
      event: details && cutValue(details.name),
      title: website.keepsTitles ? event.title : null,
      page: cutValue(derivePage(event.url, website.excludedParameters)),
      referrer: referrer && cutValue(referrer.host),
      ...utm,
      browser: agent.browser,
      operatingSystem: agent.operatingSystem,
      device: agent.device,
      language: deriveLanguage(event.language, acceptLanguage),
      screen: event.screen ?? UNKNOWN,
      continent: place.continent,
      country: place.country,
      city: place.city,
      browserVersion: agent.browserVersion,
      operatingSystemVersion: agent.operatingSystemVersion,
      hostname: host,
      referrerPage: referrer && referrer.page,
      clickId,
      properties: details && details.properties,
      value: details && details.value,
      currency: details && details.currency,
      isPassive: details !== null && details.isPassive,
    };
  }
}

function dropReason(arrival: Arrival, agent: Agent, website: TrackedWebsite): DropReason | undefined {
  if (isForeignOrigin(arrival.origin, website.isAllowedOrigin)) return 'origin';
  if (arrival.optedOut) return 'opt-out';
  if (website.isExcluded(arrival.address)) return 'ip';
  if (website.excludesBots && agent.isBot) return 'bot';
  return undefined;
}
