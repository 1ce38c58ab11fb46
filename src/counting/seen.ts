import type { EntityManager } from 'typeorm';
import type { Sighting } from './fold';
import { inChunks, insertRows } from '../database/rows';

const MOST_CACHED = 300_000;

/** What one website has seen of the days that are not forgotten yet. It holds only while nobody else could count. */
export class Seen {
  private known = new Sightings();
  private found = new Sightings();
  private added = new Sightings();

  begin(): void {
    this.found = new Sightings();
    this.added = new Sightings();
  }

  /** Looks up which of the sightings are in the tables. */
  async look(manager: EntityManager, websiteId: number, sightings: Iterable<Sighting>): Promise<void> {
    const unknown = new Sightings();
    for (const sighting of sightings) if (!this.has(sighting)) unknown.add(sighting);
    for (const [day, hashes] of unknown.days)
      for (const chunk of inChunks([...hashes], 500)) {
        const rows = await manager.query<{ hash: Buffer }[]>(
          `SELECT hash FROM seen WHERE website_id = ? AND day = ? AND hash IN (${chunk.map(() => '?').join(', ')})`,
          [websiteId, day, ...chunk.map(bytesOf)],
        );
        for (const { hash } of rows) this.found.add({ day, hash: hash.toString('base64url') });
      }
  }

  /** Tells whether a sighting that was looked up is new to its day, once. */
  isNew(sighting: Sighting): boolean {
    if (this.has(sighting)) return false;
    this.added.add(sighting);
    return true;
  }

  store(manager: EntityManager, websiteId: number): Promise<void> {
    return insertSightings(manager, websiteId, [...this.added]);
  }

  /** Puts what a day really saw in the place of what was noted. */
  static async replace(
    manager: EntityManager,
    websiteId: number,
    day: number,
    sightings: Sighting[],
  ): Promise<void> {
    await manager.query('DELETE FROM seen WHERE website_id = ? AND day = ?', [websiteId, day]);
    await insertSightings(manager, websiteId, sightings);
  }

  remember(): void {
    if (this.known.size > MOST_CACHED) this.known = new Sightings();
    for (const sightings of [this.found, this.added])
      for (const sighting of sightings) this.known.add(sighting);
    this.begin();
  }

  private has(sighting: Sighting): boolean {
    return this.known.has(sighting) || this.found.has(sighting) || this.added.has(sighting);
  }
}

class Sightings {
  readonly days = new Map<number, Set<string>>();

  get size(): number {
    return [...this.days.values()].reduce((sum, hashes) => sum + hashes.size, 0);
  }

  has({ day, hash }: Sighting): boolean {
    return this.days.get(day)?.has(hash) ?? false;
  }

  add({ day, hash }: Sighting): void {
    let hashes = this.days.get(day);
    if (!hashes) this.days.set(day, (hashes = new Set()));
    hashes.add(hash);
  }

  *[Symbol.iterator](): Generator<Sighting> {
    for (const [day, hashes] of this.days) for (const hash of hashes) yield { day, hash };
  }
}

async function insertSightings(
  manager: EntityManager,
  websiteId: number,
  sightings: Sighting[],
): Promise<void> {
  const rows = sightings.map(({ day, hash }) => ({ day, hash: bytesOf(hash) }));
  rows.sort((one, other) => one.day - other.day || Buffer.compare(one.hash, other.hash));
  await insertRows(
    manager,
    'seen',
    ['website_id', 'day', 'hash'],
    rows.map(({ day, hash }) => [websiteId, day, hash]),
  );
}

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'base64url');
}
