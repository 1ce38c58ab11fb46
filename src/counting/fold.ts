import { createHash } from 'node:crypto';
import { BoundedCache } from '../common/bounded-cache';
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
  private readonly days = new Map<number, Map<StatName, Map<string, number>>>();

  add(name: StatName, day: number, value: string): void {
    let names = this.days.get(day);
    if (!names) this.days.set(day, (names = new Map<StatName, Map<string, number>>()));
    let values = names.get(name);
    if (!values) names.set(name, (values = new Map<string, number>()));
    values.set(value, (values.get(value) ?? 0) + 1);
  }

  *entries(): Generator<Counted> {
    for (const [day, names] of this.days)
      for (const [name, values] of names)
        for (const [value, hits] of values) yield { name, day, value, hits };
  }
}

/** What may be counted once a day, known by a hash. */
export interface Sighting {
  day: number;
  hash: string;
}

/** What one hit could be the first to show. */
interface Sightings {
  visitor: Sighting;
  referrer: Sighting | undefined;
  campaign: Sighting | undefined;
}

const HASH_BYTES = 16;
const MOST_MASKS = 5000;
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

/** A hit together with what it could be the first to show. */
export interface SeenHit {
  hit: Hit;
  sightings: Sightings;
}

export function withSightings(hit: Hit): SeenHit {
  const { day, visitor, referrer, campaign } = hit;
  const together = (kind: string, value: string | null) =>
    value === null ? undefined : { day, hash: combined(visitor, kind + value) };
  return {
    hit,
    sightings: {
      visitor: { day, hash: visitor },
      referrer: together('r', referrer),
      campaign: together('c', campaign),
    },
  };
}

/** All that the hits could be the first to show, so that it can be looked up before they are counted. */
export function* sightingsOf(hits: SeenHit[]): Generator<Sighting> {
  for (const { sightings } of hits) {
    yield sightings.visitor;
    if (sightings.referrer) yield sightings.referrer;
    if (sightings.campaign) yield sightings.campaign;
  }
}

/** Counts hits in their order; `isNew` tells once, and remembers, whether something is seen for the first time. */
export function fold(
  hits: SeenHit[],
  isNew: (sighting: Sighting) => boolean,
  increments = new Increments(),
): Increments {
  let day: number | undefined;
  let text = '';
  for (const { hit, sightings } of hits) {
    if (hit.day !== day) text = dayText((day = hit.day));
    countHit(increments, hit, text);
    countVisitor(increments, hit, text, sightings, isNew);
  }
  return increments;
}

function countHit(increments: Increments, { event, page, day }: Hit, today: string): void {
  if (event !== null) {
    increments.add('event', day, event);
    return;
  }
  increments.add('page', day, page);
  increments.add('pageview', day, today);
}

function countVisitor(
  increments: Increments,
  hit: Hit,
  today: string,
  { visitor, referrer, campaign }: Sightings,
  isNew: (sighting: Sighting) => boolean,
): void {
  const { day } = hit;
  if (isNew(visitor)) {
    increments.add('visitor', day, today);
    for (const [name, field] of Object.entries(OF_THE_FIRST_HIT))
      increments.add(name as keyof typeof OF_THE_FIRST_HIT, day, hit[field]);
    if (!referrer) increments.add('referrer', day, DIRECT);
  }
  if (referrer && isNew(referrer)) increments.add('referrer', day, hit.referrer!);
  if (campaign && isNew(campaign)) increments.add('campaign', day, hit.campaign!);
}

const masks = new BoundedCache<Buffer>(MOST_MASKS);

/**
 * A visitor's hash is keyed by the salt of its day, so what is laid over it keeps visitors apart as well as it did
 * itself, and a digest for each hit is saved.
 */
function combined(visitor: string, text: string): string {
  const hash = Buffer.from(visitor, 'base64url');
  const mask = masks.get(text, digestOf);
  for (let index = 0; index < HASH_BYTES; index++) hash[index]! ^= mask[index]!;
  return hash.toString('base64url');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}
