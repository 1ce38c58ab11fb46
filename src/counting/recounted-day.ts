import { yieldIfNeeded } from '../common/yield-if-needed';
import { inChunks, type Queryable } from '../database/rows';
import {
  ARCHIVE_BEGIN,
  archivedPiece,
  type ArchivedPiece,
  lastArchivedFold,
  unpackHits,
} from '../storage/archive';
import type { Dictionary } from '../storage/dictionary';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import type { CountsByName } from '../storage/segment-store';
import { limitedNames } from '../storage/value-limits';
import { Sums } from '../storage/sums';
import { fold, Increments, type UniqueKey, withUniqueKeys } from './fold';

const HITS_PER_SLICE = 250;
const VALUES_PER_LOOKUP = 5000;

/** Hears of each piece of work, how many hits it took, and may do something before the next one. */
export type Report = (hits: number) => void | Promise<void>;

/**
 * The counts of one day as its archive has them. The archive of a day only grows, so it is read in pieces, without a
 * snapshot of the whole; what was added in the meantime is one more piece.
 */
export class RecountedDay {
  /** The unique keys of the day, as base64url. */
  readonly keys = new Set<string>();
  private increments = new Increments();
  private position = ARCHIVE_BEGIN;
  private isReduced = false;

  constructor(
    private readonly websiteId: number,
    readonly day: number,
  ) {}

  /** The archive behind what was read. */
  async *pieces(reader: Queryable): AsyncGenerator<ArchivedPiece> {
    for (let { position } = this; ;) {
      const piece = await archivedPiece(reader, this.websiteId, this.day, position);
      yield piece;
      if (piece.isLast) return;
      ({ position } = piece);
    }
  }

  /**
   * Forgets the unique keys and all counts but those of one name, since the keys of many days would take much memory. A
   * day whose archive grew since then is counted again from the beginning.
   */
  keepOnly(name: StatName): void {
    const { increments, day } = this;
    this.increments = new Increments();
    for (const [value, hits] of increments.of(day).get(name) ?? [])
      this.increments.add(name, day, value, hits);
    this.keys.clear();
    this.isReduced = true;
  }

  /** Reads on to where the archive ends now: one that grows meanwhile is not followed for ever. */
  async catchUp(reader: Queryable, report: Report): Promise<void> {
    if (this.isReduced) {
      const { packed } = await archivedPiece(reader, this.websiteId, this.day, this.position);
      if (packed.length === 0) return;
      this.increments = new Increments();
      this.position = ARCHIVE_BEGIN;
      this.isReduced = false;
    }
    const end = await lastArchivedFold(reader, this.websiteId, this.day);
    for await (const piece of this.pieces(reader)) {
      await this.add(piece, report);
      if (this.position.fold > end) return;
    }
  }

  async add({ packed, position }: ArchivedPiece, report: Report): Promise<void> {
    const isNew = ({ hash }: UniqueKey) => !this.keys.has(hash) && Boolean(this.keys.add(hash));
    let size = 0;
    for (const row of packed) {
      const hits = await unpackHits(row);
      for (const slice of inChunks(hits, HITS_PER_SLICE)) {
        fold(slice.map(withUniqueKeys), isNew, this.increments);
        await yieldIfNeeded();
      }
      size += hits.length;
    }
    this.position = position;
    await report(size);
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
