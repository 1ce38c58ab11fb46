import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { DIMENSIONS, type StatName } from '../stats/dimensions';
import type { CountingLease } from './counting-lease';
import { Dictionary } from './dictionary';
import { fold, type Increments, sightingsOf } from './fold';
import { decodeHits, encodeHits, type Hit } from './hit';
import { changedBy, insertRows } from './rows';
import { Seen } from './seen';

const MOST_ROWS = 500;
const MOST_HITS = 1000;

const compress = promisify<Buffer, Buffer>(deflateRaw);

interface InboxRow {
  id: number;
  size: number;
  hits: Buffer;
}

/** Moves the hits of one website from its inbox into its counters and its archive, under an unbroken lease. */
export class Folder {
  private readonly dictionary: Dictionary;
  private readonly seen = new Seen();

  constructor(
    private readonly database: Database,
    readonly lease: CountingLease,
  ) {
    this.dictionary = new Dictionary(lease.websiteId);
  }

  /** Folds a piece of the inbox; returns how many hits it took. After an error this folder is of no more use. */
  async foldSome(): Promise<number> {
    const taken = await this.database.write((manager) => this.foldIn(manager));
    this.lease.used();
    this.dictionary.remember();
    this.seen.remember();
    return taken;
  }

  private async foldIn(manager: EntityManager): Promise<number> {
    this.dictionary.begin();
    this.seen.begin();
    const use = await this.lease.use(manager);
    const rows = await this.takeRows(manager);
    const hits = rows.flatMap((row) => decodeHits(row.hits));
    if (hits.length === 0) return 0;
    await this.count(manager, hits);
    await this.archive(manager, use, hits);
    return hits.length;
  }

  /** Exactly the rows that were read are removed: ids do not commit in their order. */
  private async takeRows(manager: EntityManager): Promise<InboxRow[]> {
    const { websiteId } = this.lease;
    const rows = await manager.query<InboxRow[]>(
      `SELECT id, size, hits FROM inbox WHERE website_id = ? ORDER BY id LIMIT ${MOST_ROWS} ${this.database.dialect.forUpdate}`,
      [websiteId],
    );
    const taken = firstOf(rows, MOST_HITS);
    if (taken.length === 0) return [];
    const ids = taken.map(({ id }) => id);
    const removed = await changedBy(
      manager,
      `DELETE FROM inbox WHERE website_id = ? AND id IN (${ids.map(() => '?').join(', ')})`,
      [websiteId, ...ids],
    );
    if (removed !== ids.length)
      throw new Error(`${ids.length} rows of the inbox were read and ${removed} removed`);
    return taken;
  }

  private async count(manager: EntityManager, hits: Hit[]): Promise<void> {
    const { websiteId } = this.lease;
    const found = await this.seen.look(manager, websiteId, sightingsOf(hits));
    const increments = fold(hits, (sighting) => this.seen.isNewTo(found, sighting));
    await this.seen.store(manager, websiteId);
    await this.add(manager, increments);
  }

  /** In the order of the primary key, or two processes' upserts would lock each other out. */
  private async add(manager: EntityManager, increments: Increments): Promise<void> {
    const counted = [...increments.entries()];
    const ids = new Map<StatName, Map<string, number>>();
    for (const name of new Set(counted.map((entry) => entry.name))) {
      const values = counted.filter((entry) => entry.name === name).map(({ value }) => value);
      ids.set(name, await this.dictionary.learn(manager, name, [...new Set(values)]));
    }
    const rows = counted.map(({ name, day, value, hits }) => [
      DIMENSIONS[name].code,
      day,
      ids.get(name)!.get(value)!,
      hits,
    ]);
    rows.sort((one, other) => one[0]! - other[0]! || one[1]! - other[1]! || one[2]! - other[2]!);
    await insertRows(
      manager,
      'stat_counters',
      ['website_id', 'name', 'day', 'value_id', 'hits'],
      rows.map((row) => [this.lease.websiteId, ...row]),
      this.database.dialect.addIfThere('website_id, name, day, value_id', 'hits'),
    );
  }

  private async archive(manager: EntityManager, use: number, hits: Hit[]): Promise<void> {
    const rows: unknown[][] = [];
    for (const day of new Set(hits.map((hit) => hit.day))) {
      const ofDay = hits.filter((hit) => hit.day === day);
      rows.push([this.lease.websiteId, day, use, ofDay.length, await compress(encodeHits(ofDay))]);
    }
    await insertRows(manager, 'archive', ['website_id', 'day', 'fold', 'size', 'hits'], rows);
  }
}

/** At least one row, however many hits it holds. */
function firstOf(rows: InboxRow[], mostHits: number): InboxRow[] {
  let hits = 0;
  const end = rows.findIndex((row) => (hits += row.size) > mostHits);
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}
