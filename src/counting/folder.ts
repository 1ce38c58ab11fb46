import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { archiveHits, type Piece } from './archive';
import { Breaks } from '../common/breaks';
import { addCounts } from './counters';
import type { CountingLease } from './counting-lease';
import { Dictionary } from './dictionary';
import { fold, Increments, type Sighting, sightingsOf, withSightings } from './fold';
import { decodeHits, type Hit } from './hit';
import { changedBy, inChunks } from '../database/rows';
import { Seen } from './seen';

const INDEX = 'inbox_of_website';
const MOST_ROWS = 500;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_HITS = 10_000;
/** While a fold has the one connection, nothing can be accepted. */
const MOST_HITS_ON_ONE_CONNECTION = 1000;
const HITS_A_SLICE = 500;

interface InboxRow {
  id: number;
  size: number;
  hits: Buffer;
}

/** Moves the hits of one website from its inbox into its counters and its archive, under an unbroken lease. */
export class Folder {
  private readonly dictionary: Dictionary;
  private readonly seen = new Seen();
  private readonly mostHits: number;

  constructor(
    private readonly database: Database,
    readonly lease: CountingLease,
  ) {
    this.dictionary = new Dictionary(lease.websiteId);
    this.mostHits = database.dialect.oneConnection ? MOST_HITS_ON_ONE_CONNECTION : MOST_HITS;
  }

  /** Folds a piece of the inbox; returns how many hits it took. After an error this folder is of no more use. */
  async foldSome(mostHits = this.mostHits): Promise<number> {
    const taken = await this.database.write((manager) => this.foldIn(manager, mostHits));
    this.lease.used();
    this.dictionary.remember();
    this.seen.remember();
    return taken;
  }

  private async foldIn(manager: EntityManager, mostHits: number): Promise<number> {
    this.dictionary.begin();
    this.seen.begin();
    const use = await this.lease.use(manager);
    const pieces = await this.read(await this.takeRows(manager, mostHits));
    const hits = pieces.flatMap((piece) => piece.hits);
    if (hits.length === 0) return 0;
    await this.count(manager, hits);
    await archiveHits(manager, this.lease.websiteId, use, pieces);
    return hits.length;
  }

  /** Exactly the rows that were read are removed: ids do not commit in their order. */
  private async takeRows(manager: EntityManager, mostHits: number): Promise<InboxRow[]> {
    const { websiteId } = this.lease;
    const { useIndex, deleteByIndex, forUpdate } = this.database.dialect;
    const rows = await manager.query<InboxRow[]>(
      `SELECT id, size, hits FROM inbox ${useIndex(INDEX)}
      WHERE website_id = ? ORDER BY id LIMIT ${MOST_ROWS} ${forUpdate}`,
      [websiteId],
    );
    const taken = firstOf(rows, mostHits);
    if (taken.length === 0) return [];
    const ids = taken.map(({ id }) => id);
    const removed = await changedBy(
      manager,
      `${deleteByIndex('inbox', INDEX)} WHERE website_id = ? AND id IN (${ids.map(() => '?').join(', ')})`,
      [websiteId, ...ids],
    );
    if (removed !== ids.length)
      throw new Error(`${ids.length} rows of the inbox were read and ${removed} removed`);
    return taken;
  }

  private async read(rows: InboxRow[]): Promise<Piece[]> {
    const pieces: Piece[] = [];
    const breaks = new Breaks();
    for (const { hits } of rows) {
      pieces.push({ encoded: hits, hits: decodeHits(hits) });
      await breaks.whenDue();
    }
    return pieces;
  }

  private async count(manager: EntityManager, hits: Hit[]): Promise<void> {
    const { websiteId } = this.lease;
    const increments = new Increments();
    const isNew = (sighting: Sighting) => this.seen.isNew(sighting);
    const breaks = new Breaks();
    for (const slice of inChunks(hits, HITS_A_SLICE)) {
      const seeing = slice.map(withSightings);
      await this.seen.look(manager, websiteId, sightingsOf(seeing));
      fold(seeing, isNew, increments);
      await breaks.whenDue();
    }
    await this.seen.store(manager, websiteId);
    await addCounts(this.database, manager, websiteId, this.dictionary, [...increments.entries()]);
  }
}

/** At least one row, however many hits it holds. */
function firstOf(rows: InboxRow[], mostHits: number): InboxRow[] {
  let size = 0;
  let bytes = 0;
  const end = rows.findIndex(
    (row) => (size += row.size) > mostHits || (bytes += row.hits.length) > MOST_BYTES,
  );
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}
