import { createHash } from 'node:crypto';
import { VISITOR_BYTES } from '../common/visitor-bytes';
import { ByteCache } from '../common/byte-cache';
import type { Increment } from '../storage/counters';
import { type Dimension, DIMENSIONS, STAT_NAMES, type StatName } from '../storage/dimensions';
import type { Hit } from '../storage/hit';

/** How often each value of each name was counted on each day. */
export class Increments {
  private readonly days = new Map<number, Map<StatName, Map<string, number>>>();

  add(name: StatName, day: number, value: string, hits = 1): void {
    let names = this.days.get(day);
    if (!names) this.days.set(day, (names = new Map<StatName, Map<string, number>>()));
    let values = names.get(name);
    if (!values) names.set(name, (values = new Map<string, number>()));
    values.set(value, (values.get(value) ?? 0) + hits);
  }

  /** The counts of one day. */
  of(day: number): ReadonlyMap<StatName, ReadonlyMap<string, number>> {
    return this.days.get(day) ?? new Map<StatName, Map<string, number>>();
  }

  *entries(): Generator<Increment> {
    for (const [day, names] of this.days)
      for (const [name, values] of names)
        for (const [value, hits] of values) yield { name, day, value, hits };
  }
}

/** Something that is counted once a day, identified by a hash. */
export interface UniqueKey {
  day: number;
  hash: string;
}

/** A hit with the unique keys that it may be the first to have. */
export interface HitWithKeys {
  hit: Hit;
  /** Undefined where the hit is counted without its visitor. */
  visitor: UniqueKey | undefined;
  /** In the order of `OF_VISITORS_VALUES`; undefined where the hit has no value. */
  values: (UniqueKey | undefined)[];
}

/** A buffer's object and its share of the pool. */
const BYTES_PER_MASK = 120;

const OF_HITS = namesPer('hit');
const OF_VISITORS = namesPer('visitor');
const OF_VISITORS_VALUES = namesPer('visitor and value');

export function withUniqueKeys(hit: Hit): HitWithKeys {
  const { day, visitor } = hit;
  if (visitor === '') return { hit, visitor: undefined, values: [] };
  const values = OF_VISITORS_VALUES.map(({ code, value }) => {
    const text = value(hit);
    return text === null ? undefined : { day, hash: combined(visitor, `${code} ${text}`) };
  });
  return { hit, visitor: { day, hash: visitor }, values };
}

/** All unique keys of some hits, so that they can be looked up before the hits are counted. */
export function* uniqueKeysOf(hits: HitWithKeys[]): Generator<UniqueKey> {
  for (const { visitor, values } of hits) {
    if (visitor) yield visitor;
    for (const key of values) if (key) yield key;
  }
}

/** Counts hits in their order; `isNew` is true once for each key, and remembers it. */
export function fold(
  hits: HitWithKeys[],
  isNew: (key: UniqueKey) => boolean,
  increments = new Increments(),
): Increments {
  for (const { hit } of hits) countHit(increments, hit);
  return foldUnique(hits, isNew, increments);
}

/** Counts of hits what is counted once for each key. */
export function foldUnique(
  hits: HitWithKeys[],
  isNew: (key: UniqueKey) => boolean,
  increments: Increments,
): Increments {
  for (const { hit, visitor, values } of hits) {
    if (!visitor) continue;
    const isFirst = isNew(visitor);
    if (isFirst) countVisitor(increments, hit);
    countValues(increments, hit, values, isFirst, isNew);
  }
  return increments;
}

function countHit(increments: Increments, hit: Hit): void {
  for (const { name, value } of OF_HITS) {
    const text = value(hit);
    if (text !== null) increments.add(name, hit.day, text);
  }
}

function countVisitor(increments: Increments, hit: Hit): void {
  for (const { name, value } of OF_VISITORS) increments.add(name, hit.day, value(hit));
}

function countValues(
  increments: Increments,
  hit: Hit,
  keys: HitWithKeys['values'],
  isFirst: boolean,
  isNew: (key: UniqueKey) => boolean,
): void {
  for (let index = 0; index < keys.length; index++) {
    const { name, value, none } = OF_VISITORS_VALUES[index]!;
    const key = keys[index];
    if (key) {
      if (isNew(key)) increments.add(name, hit.day, value(hit)!);
    } else if (isFirst && none !== undefined) increments.add(name, hit.day, none);
  }
}

function namesPer<P extends Dimension['per']>(per: P) {
  return STAT_NAMES.flatMap((name) => {
    const dimension = DIMENSIONS[name];
    return isCountedPer(dimension, per) ? [{ name, ...dimension }] : [];
  });
}

function isCountedPer<P extends Dimension['per']>(
  dimension: Dimension,
  per: P,
): dimension is Extract<Dimension, { per: P }> {
  return dimension.per === per;
}

const masks = new ByteCache<Buffer>('masks', () => BYTES_PER_MASK);

/**
 * Keys the value by the visitor with an XOR. The visitor's hash is keyed by the salt of its day, so the result keeps
 * visitors apart as well as the hash itself, and costs no digest for each hit.
 */
function combined(visitor: string, text: string): string {
  const hash = Buffer.from(visitor, 'base64url');
  const mask = masks.getOrMake(text, digestOf);
  for (let index = 0; index < VISITOR_BYTES; index++) hash[index]! ^= mask[index]!;
  return hash.toString('base64url');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, VISITOR_BYTES);
}
