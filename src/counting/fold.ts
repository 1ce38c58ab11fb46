import { createHash } from 'node:crypto';
import { dayText } from '../common/parsers';
import { type StatName } from '../stats/dimensions';
import type { Hit } from './hit';

export interface Counted {
  name: StatName;
  day: number;
  value: string;
  hits: number;
}

/** How often each value of each name was counted on each day. */
export class Increments {
  private readonly counts = new Map<string, Map<string, number>>();

  add(name: StatName, day: number, value: string): void {
    const key = `${name} ${day}`;
    let values = this.counts.get(key);
    if (!values) this.counts.set(key, (values = new Map<string, number>()));
    values.set(value, (values.get(value) ?? 0) + 1);
  }

  *entries(): Generator<Counted> {
    for (const [key, values] of this.counts) {
      const [name, day] = key.split(' ') as [StatName, string];
      for (const [value, hits] of values) yield { name, day: Number(day), value, hits };
    }
  }
}

/** What may be counted once a day, known by a hash. */
export interface Sighting {
  day: number;
  hash: string;
}

interface Sightings {
  visitor: Sighting;
  referrer: Sighting | undefined;
  campaign: Sighting | undefined;
}

const DIRECT = '(direct)';
const OF_THE_FIRST_HIT = {
  browser: 'browser',
  operating_system: 'operatingSystem',
  device: 'device',
  language: 'language',
  screen_resolution: 'screen',
  continent: 'continent',
  country: 'country',
  city: 'city',
} as const satisfies Partial<Record<StatName, keyof Hit>>;

/** All that the hits could be the first to show, so that it can be looked up before they are counted. */
export function sightingsOf(hits: Hit[]): Sighting[] {
  return hits.flatMap((hit) => {
    const { visitor, referrer, campaign } = sightings(hit);
    return [visitor, referrer, campaign].filter((sighting) => sighting !== undefined);
  });
}

/** Counts hits in their order; `isNew` tells once, and remembers, whether something is seen for the first time. */
export function fold(
  hits: Hit[],
  isNew: (sighting: Sighting) => boolean,
  increments = new Increments(),
): Increments {
  for (const hit of hits) {
    countHit(increments, hit);
    countVisitor(increments, hit, isNew);
  }
  return increments;
}

function countHit(increments: Increments, { event, page, day }: Hit): void {
  if (event !== null) {
    increments.add('event', day, event);
    return;
  }
  increments.add('page', day, page);
  increments.add('pageview', day, dayText(day));
}

function countVisitor(increments: Increments, hit: Hit, isNew: (sighting: Sighting) => boolean): void {
  const { day } = hit;
  const { visitor, referrer, campaign } = sightings(hit);
  if (isNew(visitor)) {
    increments.add('visitor', day, dayText(day));
    for (const [name, field] of Object.entries(OF_THE_FIRST_HIT))
      increments.add(name as keyof typeof OF_THE_FIRST_HIT, day, hit[field]);
    if (!referrer) increments.add('referrer', day, DIRECT);
  }
  if (referrer && isNew(referrer)) increments.add('referrer', day, hit.referrer!);
  if (campaign && isNew(campaign)) increments.add('campaign', day, hit.campaign!);
}

function sightings({ day, visitor, referrer, campaign }: Hit): Sightings {
  const together = (kind: string, value: string | null) =>
    value === null ? undefined : { day, hash: hashOf(visitor + kind + value) };
  return {
    visitor: { day, hash: visitor },
    referrer: together('r', referrer),
    campaign: together('c', campaign),
  };
}

/** As long as a visitor's own hash, and in the same alphabet. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}
