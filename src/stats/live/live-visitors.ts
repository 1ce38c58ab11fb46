import { bytesOfText } from '../../common/byte-cache';
import { compareTexts } from '../../common/text';
import type { Hit } from '../../storage/hit';

const MINUTE_S = 60;
export const WINDOW_S = 30 * MINUTE_S;
/** About what a visitor, or one's minute or value, takes. */
const BYTES_PER_ENTRY = 64;
/** And a value with the map of its visitors, besides its text. */
const BYTES_PER_VALUE = 200;
/** Of one visitor, so that none fills the memory alone. */
const MAX_VALUES_OF_VISITOR = 200;
const LISTED = 10;
/** Of a visitor's hash, which decide whether the visitor belongs to the sample. */
const SAMPLE_CHARACTERS = 4;
const SAMPLE_BITS = 24;

interface Visitor {
  lastAt: number;
  values: number;
}

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
 * added twice. Where they grow too large, every second visitor is left out, by the hash, and the rest counts double.
 */
export class LiveVisitors {
  private readonly visitors = new Map<string, Visitor>();
  private readonly minutes = new Map<number, Set<Visitor>>();
  private readonly values = { pages: new Values(), referrers: new Values(), countries: new Values() };
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
    let entries = this.visitors.size;
    for (const { size } of this.minutes.values()) entries += size;
    let bytes = BYTES_PER_ENTRY * entries;
    for (const values of Object.values(this.values)) bytes += values.bytes;
    return bytes;
  }

  add(hits: Hit[], now: number): void {
    for (const hit of hits) this.addHit(hit, now);
    while (this.bytes > this.maxBytes && this.halvings < SAMPLE_BITS) this.halve();
  }

  /** Leaves out who was not seen since then. */
  forget(before: number): void {
    for (const [hash, { lastAt }] of this.visitors) if (lastAt < before) this.visitors.delete(hash);
    for (const minute of this.minutes.keys())
      if ((minute + 1) * MINUTE_S <= before) this.minutes.delete(minute);
    for (const values of Object.values(this.values)) values.forget(before);
  }

  window(since: number): LiveWindow {
    let visitors = 0;
    for (const { lastAt } of this.visitors.values()) if (lastAt >= since) visitors++;
    const listed = (values: Values) =>
      values.counts(since).map(({ value, count }) => ({ value, count: this.whole(count) }));
    const { pages, referrers, countries } = this.values;
    return {
      visitors: this.whole(visitors),
      pages: listed(pages),
      referrers: listed(referrers),
      countries: listed(countries),
    };
  }

  /** The visitors of some minutes, the last of which is not over. */
  perMinute(now: number, size: number): LiveMinute[] {
    const first = Math.floor(now / MINUTE_S) - size + 1;
    return Array.from({ length: size }, (_, index) => ({
      minute: first + index,
      visitors: this.whole(this.minutes.get(first + index)?.size ?? 0),
    }));
  }

  private addHit({ visitor: hash, at: sentAt, event, page, referrer, country }: Hit, now: number): void {
    const at = Math.min(sentAt, now);
    if (at < now - WINDOW_S || !this.belongs(hash)) return;
    let visitor = this.visitors.get(hash);
    if (!visitor) this.visitors.set(hash, (visitor = { lastAt: at, values: 0 }));
    visitor.lastAt = Math.max(visitor.lastAt, at);
    const minute = Math.floor(at / MINUTE_S);
    const ofMinute = this.minutes.get(minute) ?? new Set();
    this.minutes.set(minute, ofMinute.add(visitor));
    this.values.countries.add(country, visitor, at);
    if (event === null) this.values.pages.add(page, visitor, at);
    if (referrer !== null) this.values.referrers.add(referrer, visitor, at);
  }

  /** A hit that came too late to tell its visitor has no hash. */
  private belongs(hash: string): boolean {
    if (hash === '') return false;
    if (this.halvings === 0) return true;
    const bits = Buffer.from(hash.slice(0, SAMPLE_CHARACTERS), 'base64url').readUIntBE(0, SAMPLE_BITS / 8);
    return bits >>> (SAMPLE_BITS - this.halvings) === 0;
  }

  private halve(): void {
    this.halvings++;
    const left = new Set<Visitor>();
    for (const [hash, visitor] of this.visitors) {
      if (this.belongs(hash)) continue;
      this.visitors.delete(hash);
      left.add(visitor);
    }
    for (const ofMinute of this.minutes.values()) for (const visitor of left) ofMinute.delete(visitor);
    for (const values of Object.values(this.values)) values.remove(left);
  }

  private whole(count: number): number {
    return count * 2 ** this.halvings;
  }
}

/** The visitors of each value, and when each was seen with it last. */
class Values {
  private readonly seen = new Map<string, Map<Visitor, number>>();
  bytes = 0;

  add(value: string, visitor: Visitor, at: number): void {
    let visitors = this.seen.get(value);
    const known = visitors?.get(visitor);
    if (known === undefined) {
      if (visitor.values === MAX_VALUES_OF_VISITOR) return;
      visitor.values++;
      this.bytes += BYTES_PER_ENTRY;
    }
    if (!visitors) {
      this.seen.set(value, (visitors = new Map<Visitor, number>()));
      this.bytes += BYTES_PER_VALUE + bytesOfText(value);
    }
    visitors.set(visitor, Math.max(known ?? at, at));
  }

  forget(before: number): void {
    this.removeWhere((_, at) => at < before);
  }

  remove(visitors: Set<Visitor>): void {
    this.removeWhere((visitor) => visitors.has(visitor));
  }

  /** The values with most visitors. */
  counts(since: number): LiveCount[] {
    const counts: LiveCount[] = [];
    for (const [value, visitors] of this.seen) {
      let count = 0;
      for (const at of visitors.values()) if (at >= since) count++;
      if (count > 0) counts.push({ value, count });
    }
    return counts
      .sort((one, other) => other.count - one.count || compareTexts(one.value, other.value))
      .slice(0, LISTED);
  }

  private removeWhere(isGone: (visitor: Visitor, at: number) => boolean): void {
    for (const [value, visitors] of this.seen) {
      for (const [visitor, at] of visitors) {
        if (!isGone(visitor, at)) continue;
        visitors.delete(visitor);
        visitor.values--;
        this.bytes -= BYTES_PER_ENTRY;
      }
      if (visitors.size > 0) continue;
      this.seen.delete(value);
      this.bytes -= BYTES_PER_VALUE + bytesOfText(value);
    }
  }
}
