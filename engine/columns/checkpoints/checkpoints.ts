import { inSteps } from '../../ground/time/work-in-steps';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { inChunks, type Insertion, type Queryable, type Transaction } from '../../database/rows';
import { Batch, type StoredBatch } from '../batches/batch';
import { readNextBatches } from '../batches/batches';
import { VisitorNumbers } from '../encoding/visitor-numbers';
import { type CountedDay, HitsToCount } from '../rollups/counted-day';
import {
  addDirectory,
  addPiece,
  type Checkpoint,
  type CheckpointKey,
  type CheckpointRow,
  type CheckpointTable,
  DamagedCheckpoint,
  directoryIn,
  hashesIn,
  MAX_CHECKPOINT_BYTES,
  MAX_HASHES_BYTES,
  type PartOfPiece,
} from './checkpoint-format';
import { CHECKPOINTS } from './checkpoint-rules';
import type { CachedHashes } from './cached-hashes';
import { HashLookup } from './hash-lookup';

/** The limit of one statement. */
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** The hits that are in memory at once, as batches that begin within them. */
const HITS_AT_ONCE = 100_000;
const TABLES = {
  checkpoints: { column: 'data', maxBytes: MAX_CHECKPOINT_BYTES, firstPiece: 1 },
  checkpoint_visitors: { column: 'hashes', maxBytes: MAX_HASHES_BYTES, firstPiece: 0 },
} as const;

/** A day whose hits are in batches. `pause` lets other work run while the day is counted. */
export interface OpenDay {
  readonly reader: Queryable;
  readonly websiteId: number;
  readonly day: number;
  readonly pause: () => Promise<void>;
}

/** The usable checkpoints of a day. They follow one another from the first hit on. */
export class Checkpoints {
  private constructor(
    private readonly of: OpenDay,
    readonly all: readonly Checkpoint[],
  ) {}

  /**
   * The checkpoints of the first hits, if they have this limit of values, or without one the same limit, and their
   * visitors are not forgotten.
   */
  static async find(of: OpenDay, hits: number, maxValues?: number): Promise<Checkpoints> {
    const { reader, websiteId, day } = of;
    const all: Checkpoint[] = [];
    if (hits < CHECKPOINTS.hits) return new Checkpoints(of, all);
    const rows = await reader.query<{ firstHit: number; size: number; data: Buffer }[]>(
      `SELECT first_hit AS firstHit, size, data FROM checkpoints
      WHERE website_id = ? AND day = ? AND piece = 0 AND first_hit + size <= ? ORDER BY first_hit`,
      [websiteId, day, hits],
    );
    if (rows.length === 0) return new Checkpoints(of, all);
    const visitorRows = await reader.query<{ firstHit: number; pieces: number | string }[]>(
      `SELECT first_hit AS firstHit, COUNT(*) AS pieces FROM checkpoint_visitors
      WHERE website_id = ? AND day = ? GROUP BY first_hit`,
      [websiteId, day],
    );
    const visitorPieces = new Map(visitorRows.map(({ firstHit, pieces }) => [firstHit, Number(pieces)]));
    let end = 0;
    for (const { firstHit, size, data } of rows) {
      const own = directoryIn({ websiteId, day, firstHit, size }, data);
      const hasVisitors = (visitorPieces.get(firstHit) ?? 0) === own.visitorPieces;
      const limit = maxValues ?? all[0]?.maxValues ?? own.maxValues;
      if (firstHit !== end || own.maxValues !== limit || !hasVisitors) break;
      all.push(own);
      end += size;
    }
    return new Checkpoints(of, all);
  }

  /** The number of hits in all of them. */
  get hits(): number {
    const last = this.all.at(-1);
    return last ? last.firstHit + last.size : 0;
  }

  /** The checkpoints before a place. */
  before(place: number): Checkpoints {
    return new Checkpoints(
      this.of,
      this.all.filter(({ firstHit }) => firstHit < place),
    );
  }

  /** Tells whether to continue counting from a counted day. If not, it is faster to begin again at the last checkpoint. */
  areOf({ inCheckpoints }: CountedDay, hits: number): boolean {
    const hasNewer = this.hits > inCheckpoints && hits - inCheckpoints > CHECKPOINTS.hits;
    return !hasNewer && this.before(inCheckpoints).hits === inCheckpoints;
  }

  /** Adds the counts of all checkpoints, or only their texts, to an empty day. */
  async addTo(counted: CountedDay, what: PartOfPiece = 'all'): Promise<void> {
    counted.isWhole = false;
    for await (const { own, piece, data } of this.rows('checkpoints')) {
      addPiece(counted, own, piece, data, what);
      await this.of.pause();
    }
    for (const own of this.all) addDirectory(counted, own);
    counted.isWhole = true;
  }

  /** Finds the hashes that are in a checkpoint, and marks them in the counted day. */
  async lookFor(hashes: VisitorNumbers, counted: CountedDay, cached?: CachedHashes): Promise<void> {
    if (hashes.size === 0) return;
    const lookup = new HashLookup(hashes);
    for (const own of this.all) {
      const stored = cached?.of(own.firstHit) ?? (await this.hashesOf(own));
      cached?.set(own.firstHit, stored);
      lookup.meetStored(stored, counted);
      await this.of.pause();
    }
  }

  /** The rows of a table without directories. Throws if a row is missing. */
  async *rows(
    table: CheckpointTable,
    checkpoints = this.all,
  ): AsyncGenerator<{ own: Checkpoint; piece: number; data: Buffer }> {
    const { reader, websiteId, day } = this.of;
    const { column, maxBytes, firstPiece } = TABLES[table];
    const pieces = checkpoints.flatMap((own) => {
      const length = table === 'checkpoints' ? own.pieces : own.visitorPieces;
      return Array.from({ length }, (_, index) => ({ own, piece: firstPiece + index }));
    });
    for (const some of inChunks(pieces, Math.floor(BYTES_AT_ONCE / maxBytes))) {
      const [first, last] = [some[0]!, some.at(-1)!];
      const [firstHit, lastHit] = [first.own.firstHit, last.own.firstHit];
      const rows = await reader.query<{ firstHit: number; piece: number; data: Buffer }[]>(
        `SELECT first_hit AS firstHit, piece, ${column} AS data FROM ${table}
        WHERE website_id = ? AND day = ? AND first_hit BETWEEN ? AND ? AND piece >= ${firstPiece}
          AND (first_hit > ? OR piece >= ?) AND (first_hit < ? OR piece <= ?)`,
        [websiteId, day, firstHit, lastHit, firstHit, first.piece, lastHit, last.piece],
      );
      const stored = new Map(rows.map((row) => [`${row.firstHit} ${row.piece}`, row.data]));
      for (const { own, piece } of some) {
        const data = stored.get(`${own.firstHit} ${piece}`);
        if (!data) throw new DamagedCheckpoint(own, piece);
        yield { own, piece, data };
      }
    }
  }

  private async hashesOf(own: Checkpoint): Promise<Uint32Array> {
    const pieces: Buffer[] = [];
    for await (const { piece, data } of this.rows('checkpoint_visitors', [own])) {
      pieces.push(hashesIn(own, piece, data));
      await this.of.pause();
    }
    // The copy is aligned, so that it can be read as 32-bit numbers.
    return new Uint32Array(new Uint8Array(Buffer.concat(pieces)).buffer);
  }
}

/**
 * Counts the batches of a day up to a place. Returns the first moment at which visitors of these batches are forgotten.
 */
export async function countOn(
  of: OpenDay,
  counted: CountedDay,
  place: number,
  checkpoints: Checkpoints,
  cached?: CachedHashes,
): Promise<number> {
  const before = checkpoints.before(counted.inCheckpoints);
  let forgetAt = Infinity;
  while (counted.hits < place) {
    const from = counted.hits;
    const next = await readNextBatches(of.reader, of.websiteId, of.day, from);
    // Batches are small while they are compressed. Behind checkpoints, all are open during one look for their hashes.
    const end = before.hits > 0 ? Math.min(place, from + HITS_AT_ONCE) : place;
    const batches = next.filter(({ firstHit }) => firstHit < end);
    const toCount = async (stored: StoredBatch) => {
      const { firstHit, size } = stored;
      const range = { from: Math.max(0, from - firstHit), before: Math.min(size, place - firstHit) };
      const hits = new HitsToCount(await Batch.open(stored), range, firstHit);
      await of.pause();
      return hits;
    };
    const opened: HitsToCount[] = [];
    if (before.hits > 0) {
      const unknown = new VisitorNumbers();
      for (const stored of batches) {
        const hits = await toCount(stored);
        opened.push(hits);
        await inSteps(counted.addUnknown(unknown, hits), yieldIfNeeded);
      }
      await before.lookFor(unknown, counted, cached);
    }
    for (const stored of batches) {
      const hits = opened.shift() ?? (await toCount(stored));
      // A query that ends still finishes the batch, so that the counted day stays whole and can be cached.
      await inSteps(counted.add(hits), yieldIfNeeded);
      forgetAt = Math.min(forgetAt, stored.forgetAt);
      await of.pause();
    }
  }
  return forgetAt;
}

export function checkpointInsertions(
  key: CheckpointKey,
  rows: CheckpointRow[],
  forgetAt: number,
): Insertion[] {
  const { websiteId, day, firstHit, size } = key;
  const of = (table: CheckpointTable) => rows.filter((row) => row.table === table);
  return [
    {
      table: 'checkpoint_visitors',
      columns: ['website_id', 'day', 'first_hit', 'piece', 'forget_at', 'hashes'],
      rows: of('checkpoint_visitors').map(({ piece, data }) => [
        ...[websiteId, day, firstHit, piece],
        ...[forgetAt, data],
      ]),
    },
    {
      table: 'checkpoints',
      columns: ['website_id', 'day', 'first_hit', 'piece', 'size', 'data'],
      rows: of('checkpoints').map(({ piece, data }) => [
        ...[websiteId, day, firstHit, piece],
        ...[size, data],
      ]),
    },
  ];
}

/** The days with checkpoints and columns. */
export async function readReplacedCheckpoints(reader: Queryable, websiteId: number): Promise<number[]> {
  const ofDay = (table: CheckpointTable) => `SELECT own.day AS day FROM ${table} own
    JOIN hit_days sealed ON sealed.website_id = own.website_id AND sealed.day = own.day WHERE own.website_id = ?`;
  const rows = await reader.query<{ day: number }[]>(
    `${ofDay('checkpoints')} UNION ${ofDay('checkpoint_visitors')}`,
    [websiteId, websiteId],
  );
  return rows.map(({ day }) => day);
}

/** Removes some checkpoint rows of a day from a place on. Returns false if more may be left. */
export async function removeSomeCheckpoints(
  manager: Transaction,
  { websiteId, day }: Pick<OpenDay, 'websiteId' | 'day'>,
  place: number,
  maxBytes: number,
): Promise<boolean> {
  for (const table of ['checkpoints', 'checkpoint_visitors'] as const) {
    const most = Math.max(1, Math.floor(maxBytes / TABLES[table].maxBytes));
    const rows = await manager.query<{ firstHit: number; piece: number }[]>(
      `SELECT first_hit AS firstHit, piece FROM ${table} WHERE website_id = ? AND day = ? AND first_hit >= ?
      ORDER BY first_hit, piece LIMIT ${most}`,
      [websiteId, day, place],
    );
    const last = rows.at(-1);
    if (!last) continue;
    await manager.query(
      `DELETE FROM ${table} WHERE website_id = ? AND day = ? AND first_hit >= ?
      AND (first_hit < ? OR (first_hit = ? AND piece <= ?))`,
      [websiteId, day, place, last.firstHit, last.firstHit, last.piece],
    );
    return false;
  }
  return true;
}
