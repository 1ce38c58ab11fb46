import type { Hit } from '../../storage/hit';
import { LiveValue, LiveValues, type WindowName } from './live-values';
import { LiveVisitor, type Seen, SeenQueue, visitorOf } from './seen';

const MINUTE_S = 60;
export const WINDOW_S = 30 * MINUTE_S;
const SHORT_WINDOW_S = 5 * MINUTE_S;
/** What is looked at of a hit. */
type LiveHit = Pick<Hit, 'at' | 'visitor' | 'event' | 'page' | 'referrer' | 'country'>;

/** What these take as objects and in maps and queues. */
const BYTES_PER_VISITOR = 184;
const BYTES_PER_SIGHTING = 80;
/** Of one visitor, so that none fills the memory alone. */
const MAX_VALUES_OF_VISITOR = 200;
const LISTED = 10;
/** Of a visitor's hash, which decide whether the visitor belongs to the sample. */
const SAMPLE_CHARACTERS = 4;
const SAMPLE_BITS = 24;

export interface LiveCount {
  value: string;
  count: number;
}

export interface LiveWindow {
  visitors: number;
  pages: LiveCount[];
  referrers: LiveCount[];
  countries: LiveCount[];
}

export interface LiveMinute {
  /** Minutes since 1970. */
  minute: number;
  visitors: number;
}

/**
 * Who was seen in the last 30 minutes, with which pages, referrers and countries. All of it are sets, so a hit may be
 * added twice. They are counted while hits come and visitors leave, so that a look costs the same for any number of
 * visitors. Where they grow too large, every second visitor is left out, by the hash, and the rest counts double.
 */
export class LiveVisitors {
  private readonly visitors = new Map<string, LiveVisitor>();
  private readonly everyone = new LiveValue('', new LiveValues());
  private readonly minutes = new Map<number, number>();
  private readonly values = {
    pages: new LiveValues(),
    referrers: new LiveValues(),
    countries: new LiveValues(),
  };
  private readonly queues = { short: new SeenQueue(), long: new SeenQueue() };
  private readonly since = { short: 0, long: 0 };
  private now = 0;
  private sightings = 0;
  private halvings = 0;

  constructor(private readonly maxBytes: number) {}

  get isSampled(): boolean {
    return this.halvings > 0;
  }

  /** Whether all visitors would fit, where a part of them was left out. */
  get isSparse(): boolean {
    return this.isSampled && this.bytes * 2 ** this.halvings < this.maxBytes / 2;
  }

  get bytes(): number {
    let bytes = BYTES_PER_VISITOR * this.visitors.size + BYTES_PER_SIGHTING * this.sightings;
    for (const values of Object.values(this.values)) bytes += values.bytes;
    return bytes;
  }

  /** Leaves out who was not seen in the 30 minutes before a moment, in seconds since 1970. */
  moveTo(now: number): void {
    this.now = now;
    this.since.short = Math.max(this.since.short, now - SHORT_WINDOW_S);
    this.since.long = Math.max(this.since.long, now - WINDOW_S);
    for (const left of this.queues.short.takeBefore(this.since.short)) {
      for (const { value } of left) value.short--;
    }
    for (const left of this.queues.long.takeBefore(this.since.long)) {
      for (const seen of left) this.remove(seen);
    }
    for (const minute of this.minutes.keys()) if (!this.isKnown(minute)) this.minutes.delete(minute);
  }

  add(hits: Iterable<LiveHit>): void {
    for (const hit of hits) this.addHit(hit);
    while (this.bytes > this.maxBytes && this.halvings < SAMPLE_BITS) this.halve();
  }

  /** Of the last 5 minutes, or of 30. */
  window(name: WindowName): LiveWindow {
    const { pages, referrers, countries } = this.values;
    return {
      visitors: this.whole(this.everyone[name]),
      pages: this.listed(pages, name),
      referrers: this.listed(referrers, name),
      countries: this.listed(countries, name),
    };
  }

  /** The visitors of some minutes, the last of which is not over. */
  perMinute(size: number): LiveMinute[] {
    const first = Math.floor(this.now / MINUTE_S) - size + 1;
    return Array.from({ length: size }, (_, index) => ({
      minute: first + index,
      visitors: this.whole(this.minutes.get(first + index) ?? 0),
    }));
  }

  private addHit(hit: LiveHit): void {
    const at = Math.min(hit.at, this.now);
    if (at < this.since.long) return;
    const visitor = this.visitorOf(hit.visitor);
    if (!visitor) return;
    const { event, page, referrer, country } = hit;
    this.see(visitor, at);
    const minute = Math.floor(at / MINUTE_S);
    if (visitor.seeIn(minute)) this.addToMinute(minute, 1);
    this.seeWith(visitor, this.values.countries, country, at);
    if (event === null) this.seeWith(visitor, this.values.pages, page, at);
    if (referrer !== null) this.seeWith(visitor, this.values.referrers, referrer, at);
  }

  /** None of a hit that came too late to tell its visitor, which has no hash, and none beside the sample. */
  private visitorOf(hash: string): LiveVisitor | undefined {
    const known = this.visitors.get(hash);
    if (known || hash === '') return known;
    const place = Buffer.from(hash.slice(0, SAMPLE_CHARACTERS), 'base64url').readUIntBE(0, SAMPLE_BITS / 8);
    if (!this.belongs(place)) return undefined;
    const visitor = new LiveVisitor(this.everyone, hash, place);
    this.visitors.set(hash, visitor);
    return visitor;
  }

  private seeWith(visitor: LiveVisitor, values: LiveValues, text: string, at: number): void {
    const known = values.find(text);
    let sighting = known && visitor.find(known);
    if (!sighting) {
      if (visitor.values === MAX_VALUES_OF_VISITOR) return;
      sighting = visitor.add(known ?? values.add(text));
      this.sightings++;
    }
    this.see(sighting, at);
  }

  private see(seen: Seen, at: number): void {
    const before = seen.lastAt;
    if (at <= before) return;
    seen.lastAt = at;
    if (before < this.since.long) this.enter('long', seen);
    if (before < this.since.short && at >= this.since.short) this.enter('short', seen);
  }

  private enter(window: WindowName, seen: Seen): void {
    seen.value[window]++;
    this.queues[window].add(seen);
  }

  private addToMinute(minute: number, visitors: number): void {
    if (this.isKnown(minute)) this.minutes.set(minute, (this.minutes.get(minute) ?? 0) + visitors);
  }

  private isKnown(minute: number): boolean {
    return (minute + 1) * MINUTE_S > this.since.long;
  }

  private remove(seen: Seen): void {
    const { value } = seen;
    value.long--;
    if (seen instanceof LiveVisitor) {
      this.visitors.delete(seen.hash);
      return;
    }
    seen.visitor.remove(seen);
    this.sightings--;
    if (value.long === 0) value.values.remove(value);
  }

  private belongs(place: number): boolean {
    return place >>> (SAMPLE_BITS - this.halvings) === 0;
  }

  private halve(): void {
    this.halvings++;
    const isLeft = (seen: Seen) => !this.belongs(visitorOf(seen).place);
    for (const visitor of this.visitors.values())
      if (isLeft(visitor)) for (const minute of visitor.minutesSeen()) this.addToMinute(minute, -1);
    for (const { value } of this.queues.short.takeWhere(isLeft)) value.short--;
    for (const seen of this.queues.long.takeWhere(isLeft)) this.remove(seen);
  }

  private listed(values: LiveValues, name: WindowName): LiveCount[] {
    return values.first(LISTED, name).map((value) => ({ value: value.text, count: this.whole(value[name]) }));
  }

  private whole(count: number): number {
    return count * 2 ** this.halvings;
  }
}
