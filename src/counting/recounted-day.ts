import { yieldIfNeeded } from '../common/yield-if-needed';
import { inChunks, type Queryable } from '../database/rows';
import type { Dictionary } from '../storage/dictionary';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import type { SomeHits } from '../storage/hits-in-columns';
import { hitsFrom, keptDay } from '../storage/kept-hits';
import { endOf, type HitPiece, HitsRemoved, nextPieces, unpackHits } from '../storage/pieces';
import type { CountsByName } from '../storage/segment-store';
import { limitedNames } from '../storage/value-limits';
import { Sums } from '../storage/sums';
import { fold, Increments, type UniqueKey, withUniqueKeys } from './fold';

const HITS_PER_SLICE = 250;
const VALUES_PER_LOOKUP = 5000;
const MAX_ATTEMPTS = 3;

/** Hears of each piece of work, how many hits it took, and may do something before the next one. */
export type Report = (hits: number) => void | Promise<void>;

/**
 * The counts of one day as its hits have them. Hits are only ever added behind the others, so they are read without a
 * snapshot of the whole; what was added in the meantime is read as well. A day that becomes columns is read again.
 */
export class RecountedDay {
  /** The unique keys of the day, as base64url. */
  readonly keys = new Set<string>();
  private increments = new Increments();
  /** How many hits were read. */
  private place = 0;
  /** How many of them were in columns, which stay in their order whatever chunk they go to. */
  private inColumns = 0;
  private isReduced = false;

  constructor(
    private readonly websiteId: number,
    readonly day: number,
  ) {}

  /** Whether the day has not become columns since it was read, which puts its hits into another order. */
  async isCurrent(reader: Queryable): Promise<boolean> {
    const { columns } = await keptDay(reader, this.websiteId, this.day);
    return this.place >= this.inColumns && (columns?.hits ?? 0) === this.inColumns;
  }

  /** The pieces behind what was read, up to where the hits end now: a day that grows meanwhile is not followed for ever. */
  async *rest(reader: Queryable): AsyncGenerator<HitPiece> {
    const { hits } = await keptDay(reader, this.websiteId, this.day);
    for (let { place } = this; place < hits;)
      for (const piece of await nextPieces(reader, this.websiteId, this.day, place)) {
        yield piece;
        place = endOf(piece);
      }
  }

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
    this.isReduced = true;
  }

  /** Reads on to where the hits end now. */
  async catchUp(reader: Queryable, report: Report): Promise<void> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.readOn(reader, report);
      } catch (error) {
        if (!(error instanceof HitsRemoved)) throw error;
        // Pieces that became columns meanwhile are not there any more.
        if (attempt === MAX_ATTEMPTS) throw error.asDamage();
      }
  }

  async add(piece: HitPiece, report: Report): Promise<void> {
    await this.addHits({ hits: await unpackHits(piece, this.place), end: endOf(piece) }, report);
  }

  private async readOn(reader: Queryable, report: Report): Promise<void> {
    const kept = await keptDay(reader, this.websiteId, this.day);
    const inColumns = kept.columns?.hits ?? 0;
    if (this.isReduced && kept.hits === this.place && inColumns === this.inColumns) return;
    if (this.isReduced || inColumns !== this.inColumns) this.restart();
    this.inColumns = inColumns;
    const read = <T>(work: (reader: Queryable) => Promise<T>) => work(reader);
    for await (const some of hitsFrom(read, this.websiteId, kept, this.place))
      await this.addHits(some, report);
  }

  private restart(): void {
    this.increments = new Increments();
    this.keys.clear();
    this.place = 0;
    this.isReduced = false;
  }

  private async addHits({ hits, end }: SomeHits, report: Report): Promise<void> {
    const isNew = ({ hash }: UniqueKey) => !this.keys.has(hash) && Boolean(this.keys.add(hash));
    for (const slice of inChunks(hits, HITS_PER_SLICE)) {
      fold(slice.map(withUniqueKeys), isNew, this.increments);
      await yieldIfNeeded();
    }
    this.place = end;
    await report(hits.length);
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
