import { yieldIfNeeded } from '../common/yield-if-needed';
import { inChunks, type Queryable } from '../database/rows';
import type { Dictionary } from '../storage/dictionary';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import type { Hit } from '../storage/hit';
import type { SomeHits } from '../storage/hits-in-columns';
import { hitsFrom, type HitsOfDay, keptDay, lateHits } from '../storage/kept-hits';
import { HitsRemoved } from '../storage/hits/batches';
import type { CountsByName } from '../storage/segment-store';
import { limitedNames } from '../storage/value-limits';
import { Sums } from '../storage/sums';
import { fold, foldUnique, Increments, type UniqueKey, withUniqueKeys } from './fold';
import { KeyPart, MAX_PARTS } from './key-part';
import { BYTES_PER_KEY } from './unique-index';

const HITS_PER_SLICE = 250;
const VALUES_PER_LOOKUP = 5000;
const MAX_ATTEMPTS = 3;
const MAX_KEYS_BYTES = 64 * 1024 * 1024;
const MAX_KEYS = Math.floor(MAX_KEYS_BYTES / BYTES_PER_KEY);

/** Hears of each piece of work, how many hits it took, and may do something before the next one. */
export type Report = (hits: number) => void | Promise<void>;

interface Following {
  /** Tells where the hits end. */
  now?: () => Promise<HitsOfDay>;
  /** Looks at the unique keys, of which those of one part are in memory at once. */
  each?: EachPart;
}

type EachPart = (part: KeyPart, keys: ReadonlySet<string>) => Promise<void>;

/**
 * The counts of one day as its hits have them. Hits are only ever added behind the others, so they are read without a
 * snapshot of the whole; what was added in the meantime is read as well. A day that becomes columns is read again. One
 * with more unique keys than are kept in memory is read once for each part of them.
 */
export class RecountedDay {
  /** The unique keys of the part that was read last, as base64url. */
  readonly keys = new Set<string>();
  private increments = new Increments();
  /** How many hits were read of those in the part. */
  private place = 0;
  /** How many hits are counted with all of their keys. */
  private counted = 0;
  /** How many of them were in columns, which stay in their order whatever chunk they go to. */
  private inColumns = 0;
  /** Whether hits behind these are of the same visitors. */
  private hasLate = false;
  /** Whether the keys are there by which further hits can be counted. */
  private hasKeys = true;
  private parts = 1;
  /** Whose hits were read last of those in columns. */
  private visitor = '';
  private reported = 0;

  constructor(
    private readonly websiteId: number,
    readonly day: number,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  /**
   * Forgets the unique keys and all counts but those of one name, since the keys of many days would take much memory. A
   * day that grew since then is counted again from the beginning.
   */
  keepOnly(name: StatName): void {
    const { increments, day } = this;
    this.increments = new Increments();
    for (const [value, hits] of increments.of(day).get(name) ?? [])
      this.increments.add(name, day, value, hits);
    this.keys.clear();
    this.hasKeys = false;
  }

  /** Reads on to where the hits end now: a day that grows meanwhile is not followed for ever. */
  async catchUp(
    reader: Queryable,
    report: Report,
    { now = () => keptDay(reader, this.websiteId, this.day), each }: Following = {},
  ): Promise<HitsOfDay> {
    for (let attempt = 1; ; attempt++)
      try {
        const kept = await now();
        await this.readOn(reader, report, kept, each);
        return kept;
      } catch (error) {
        if (!(error instanceof HitsRemoved)) throw error;
        // Batches that became columns meanwhile are not there any more.
        if (attempt === MAX_ATTEMPTS) throw error.asDamage();
      }
  }

  private async readOn(reader: Queryable, report: Report, kept: HitsOfDay, each?: EachPart): Promise<void> {
    const inColumns = kept.columns?.hits ?? 0;
    const isCounted = kept.hits === this.counted && inColumns === this.inColumns;
    if (isCounted && !this.hasKeys && !each) return;
    const hasLate = lateHits(kept) > 0;
    if (!this.hasKeys || inColumns !== this.inColumns || hasLate !== this.hasLate) this.restart();
    this.inColumns = inColumns;
    this.hasLate = hasLate;
    while (!(await this.readParts(reader, report, kept, each))) this.restart();
    this.counted = kept.hits;
  }

  /** False where a part has too many keys: then there are more parts from now on. */
  private async readParts(
    reader: Queryable,
    report: Report,
    kept: HitsOfDay,
    each?: EachPart,
  ): Promise<boolean> {
    const read = <T>(work: (reader: Queryable) => Promise<T>) => work(reader);
    this.hasKeys = this.parts === 1;
    for (let index = 0; index < this.parts; index++) {
      if (index > 0) this.readAgain();
      const part = new KeyPart(index, this.parts);
      for await (const some of hitsFrom(read, this.websiteId, kept, this.place)) {
        await this.addHits(some, index, part);
        await report(Math.max(0, this.place - this.reported));
        this.reported = Math.max(this.reported, this.place);
        if (this.keys.size <= this.maxKeys || this.parts === MAX_PARTS) continue;
        this.parts = Math.min(MAX_PARTS, Math.ceil((this.parts * kept.hits) / this.place) + 1);
        return false;
      }
      // The hashes of visitors are not in columns.
      if (this.inColumns === 0) await each?.(part, this.keys);
    }
    return true;
  }

  private restart(): void {
    this.increments = new Increments();
    this.counted = 0;
    this.readAgain();
  }

  private readAgain(): void {
    this.keys.clear();
    this.place = 0;
  }

  private async addHits({ hits, end }: SomeHits, index: number, part: KeyPart): Promise<void> {
    const isNew = ({ hash }: UniqueKey) =>
      part.has(hash) && !this.keys.has(hash) && Boolean(this.keys.add(hash));
    const add = index === 0 ? fold : foldUnique;
    for (const slice of inChunks(hits, HITS_PER_SLICE)) {
      const isByVisitor = end <= this.inColumns && !this.hasLate;
      for (const some of isByVisitor ? this.byVisitor(slice) : [slice])
        add(some.map(withUniqueKeys), isNew, this.increments);
      await yieldIfNeeded();
    }
    this.place = end;
  }

  /** In columns the hits of a visitor follow one another, so the keys of those before are not needed. */
  private *byVisitor(hits: Hit[]): Generator<Hit[]> {
    for (const hit of hits) {
      if (hit.visitor !== this.visitor) this.keys.clear();
      this.visitor = hit.visitor;
      yield [hit];
    }
  }

  /**
   * The counts by the numbers of their values. Values without a number get one, which has to be inserted, unless there
   * were too many on this day already.
   */
  async counts(
    reader: Queryable,
    dictionary: Dictionary,
    report: Report,
    only?: StatName,
  ): Promise<CountsByName> {
    const counts: CountsByName = new Map();
    const limited = await limitedNames(reader, this.websiteId, this.day);
    for (const [name, values] of this.increments.of(this.day)) {
      if (only !== undefined && name !== only) continue;
      const sums = new Sums();
      const { code } = DIMENSIONS[name];
      for (const some of inChunks([...values.keys()], VALUES_PER_LOOKUP)) {
        const ids = await dictionary.learn(reader, name, new Map([[this.day, some]]), !limited.has(code));
        for (const value of some) sums.add(ids.get(value)!, values.get(value)!);
        await report(0);
      }
      counts.set(code, sums);
    }
    return counts;
  }
}
