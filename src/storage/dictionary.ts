import type { EntityManager } from 'typeorm';
import { bytesFor } from '../common/byte-budget';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Dialect } from '../database/dialect';
import { inChunks, insertAll, type Insertion, type Queryable } from '../database/rows';
import { DIMENSIONS, type StatName } from './dimensions';
import { removeFreeIds, ValueIds } from './value-ids';
import {
  addedValues,
  type NewValues,
  newValuesInsertion,
  OTHER,
  VALUE_LIMITS,
  type ValueLimits,
} from './value-limits';
import { type HashedValue, hashed, idsOf, valueRow, valuesInsertion } from './value-rows';

/** What a map takes for an entry besides the two bytes of each character. */
const BYTES_PER_CACHED = 100;
const MAX_CACHED_DAYS = 1000;
const VALUES_PER_LOOKUP = 200;

/** What a transaction has to write for the numbers that were assigned. */
export interface PreparedValues {
  insertions: Insertion[];
  /** The largest free number that was used, by the code of the name. */
  usedFreeIds: Map<number, number>;
}

/**
 * The numbers of one website's values. Only the holder of the website's lease adds values, so numbers are looked up and
 * assigned before the transaction that inserts them. Cached numbers are valid while the lease is unbroken and the
 * dictionary's epoch is the same.
 */
export class Dictionary {
  private epoch: number | undefined;
  private readonly cached = new Map<string, number>();
  private cachedBytes = 0;
  private readonly addedByDay = new Map<string, number>();
  private readonly ids: ValueIds;
  private found = new Map<string, number>();
  private rows: unknown[][] = [];
  private newValues = new Map<string, NewValues>();

  constructor(
    private readonly dialect: Dialect,
    private readonly websiteId: number,
    private readonly limits: ValueLimits = VALUE_LIMITS,
  ) {
    this.ids = new ValueIds(websiteId);
  }

  /** Drops what was prepared for a transaction that was not committed. */
  begin(): void {
    this.found = new Map();
    this.rows = [];
    this.newValues = new Map();
    this.ids.begin();
  }

  /** Drops what was cached under another epoch. */
  at(epoch: number): void {
    if (epoch !== this.epoch) {
      this.forget();
      this.ids.clear();
    }
    this.epoch = epoch;
  }

  /**
   * Gives the values of each day a number, a new one where they have none and may have one; new ones have to be
   * inserted.
   */
  async learn(
    reader: Queryable,
    name: StatName,
    valuesByDay: Map<number, string[]>,
    mayAdd = true,
  ): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    const missing = new Map<string, HashedValue>();
    const values = new Set([...valuesByDay.values()].flat());
    for (const one of await this.look(reader, name, [...values], ids)) missing.set(one.value, one);
    if (missing.size === 0) return ids;
    await this.ids.prepare(reader, name, missing.size);
    for (const [day, ofDay] of mayAdd ? valuesByDay : []) {
      const ofDayMissing = ofDay.flatMap((value) => missing.get(value) ?? []);
      if (ofDayMissing.length > 0) await this.add(reader, name, day, ofDayMissing, ids);
    }
    await this.mergeMissing(reader, name, valuesByDay, ids);
    return ids;
  }

  prepared(): PreparedValues {
    const newValues = [...this.newValues.values()];
    return {
      insertions: [valuesInsertion(this.rows), newValuesInsertion(this.dialect, this.websiteId, newValues)],
      usedFreeIds: this.ids.usedFreeIds(),
    };
  }

  /** The transaction was committed, so its numbers may be cached. */
  remember(): void {
    if (this.bytes > bytesFor('folders') / 4) this.forget();
    if (this.addedByDay.size > MAX_CACHED_DAYS) this.addedByDay.clear();
    for (const [key, id] of this.found) {
      this.cached.set(key, id);
      this.cachedBytes += BYTES_PER_CACHED + 2 * key.length;
    }
    for (const [key, { added }] of this.newValues)
      if (this.addedByDay.has(key)) this.addedByDay.set(key, this.addedByDay.get(key)! + added);
    this.ids.remember();
    this.begin();
  }

  /** About how much memory the cache takes. */
  get bytes(): number {
    return this.cachedBytes;
  }

  private forget(): void {
    this.cached.clear();
    this.cachedBytes = 0;
  }

  /** To be called after the lease was given up: numbers stay what they are, but others may have added values. */
  leaseEnded(): void {
    this.addedByDay.clear();
    this.ids.clear();
  }

  /** Puts known numbers into `ids`, and returns the values that are not in the table. */
  private async look(reader: Queryable, name: StatName, values: string[], ids: Map<string, number>) {
    const unknown = values.filter((value) => {
      const key = keyOf(name, value);
      const id = this.cached.get(key) ?? this.found.get(key);
      if (id !== undefined) ids.set(value, id);
      return id === undefined;
    });
    const missing: HashedValue[] = [];
    for (const chunk of inChunks(unknown, VALUES_PER_LOOKUP)) {
      const values = chunk.map(hashed);
      const known = await idsOf(this.dialect, reader, this.websiteId, name, values);
      for (const one of values) {
        const id = known.get(one.value);
        if (id === undefined) missing.push(one);
        else this.assign(name, one.value, id, ids);
      }
      await yieldIfNeeded();
    }
    return missing;
  }

  private async add(
    reader: Queryable,
    name: StatName,
    day: number,
    values: HashedValue[],
    ids: Map<string, number>,
  ): Promise<void> {
    const counted = this.newValuesOf(name, day);
    let left = this.limits.newPerDay - (await this.addedOn(reader, name, day)) - counted.added;
    for (const one of values) {
      if (ids.has(one.value)) continue;
      const id = left > 0 || one.value === OTHER ? this.ids.next(name, this.maxId(one)) : undefined;
      if (id === undefined) continue;
      this.assign(name, one.value, id, ids);
      this.rows.push(valueRow(this.websiteId, name, one, id));
      counted.added++;
      left--;
      await yieldIfNeeded();
    }
  }

  /** Counts values that got no number as `OTHER`. */
  private async mergeMissing(
    reader: Queryable,
    name: StatName,
    valuesByDay: Map<number, string[]>,
    ids: Map<string, number>,
  ): Promise<void> {
    const merged: string[] = [];
    for (const [day, values] of valuesByDay) {
      const tooMany = values.filter((value) => !ids.has(value));
      if (tooMany.length > 0) this.newValuesOf(name, day).merged += tooMany.length;
      merged.push(...tooMany);
    }
    const [day] = valuesByDay.keys();
    if (merged.length === 0 || day === undefined) return;
    const other = (await this.learn(reader, name, new Map([[day, [OTHER]]]))).get(OTHER)!;
    for (const value of merged) ids.set(value, other);
  }

  /** `OTHER` has to have a number, however many values there are. */
  private maxId({ value }: HashedValue): number {
    return value === OTHER ? Number.MAX_SAFE_INTEGER : this.limits.all;
  }

  private newValuesOf(name: StatName, day: number): NewValues {
    const key = keyOf(name, day);
    let counted = this.newValues.get(key);
    if (!counted)
      this.newValues.set(key, (counted = { name: DIMENSIONS[name].code, day, added: 0, merged: 0 }));
    return counted;
  }

  private async addedOn(reader: Queryable, name: StatName, day: number): Promise<number> {
    const key = keyOf(name, day);
    const known = this.addedByDay.get(key);
    if (known !== undefined) return known;
    const added = await addedValues(reader, this.websiteId, DIMENSIONS[name].code, day);
    this.addedByDay.set(key, added);
    return added;
  }

  private assign(name: StatName, value: string, id: number, ids: Map<string, number>): void {
    ids.set(value, id);
    this.found.set(keyOf(name, value), id);
  }
}

export async function applyValues(
  manager: EntityManager,
  websiteId: number,
  { insertions, usedFreeIds }: PreparedValues,
): Promise<void> {
  await removeFreeIds(manager, websiteId, usedFreeIds);
  await insertAll(manager, insertions);
}

function keyOf(name: StatName, value: string | number): string {
  return `${name} ${value}`;
}
