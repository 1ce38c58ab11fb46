import type { EntityManager } from 'typeorm';
import type { Sighting } from './fold';
import { inChunks, insertRows } from './rows';

const MOST_CACHED = 300_000;

/** What one website has seen of the days that are not forgotten yet. It holds only while nobody else could count. */
export class Seen {
  private readonly known = new Set<string>();
  private added = new Map<string, Sighting>();

  begin(): void {
    this.added = new Map();
  }

  /** Looks up which of the sightings are known. */
  async look(manager: EntityManager, websiteId: number, sightings: Sighting[]): Promise<Set<string>> {
    const found = new Set<string>();
    const unknown = new Map<number, Set<string>>();
    for (const { day, hash } of sightings) {
      if (this.known.has(keyOf({ day, hash }))) found.add(keyOf({ day, hash }));
      else unknown.set(day, (unknown.get(day) ?? new Set()).add(hash));
    }
    for (const [day, hashes] of unknown)
      for (const chunk of inChunks([...hashes], 500)) {
        const rows = await manager.query<{ hash: Buffer }[]>(
          `SELECT hash FROM seen WHERE website_id = ? AND day = ? AND hash IN (${chunk.map(() => '?').join(', ')})`,
          [websiteId, day, ...chunk.map(bytesOf)],
        );
        for (const { hash } of rows) found.add(keyOf({ day, hash: hash.toString('base64url') }));
      }
    return found;
  }

  /** Tells whether a sighting is new to the day, once. */
  isNewTo(found: Set<string>, sighting: Sighting): boolean {
    const key = keyOf(sighting);
    if (found.has(key) || this.added.has(key)) return false;
    this.added.set(key, sighting);
    return true;
  }

  store(manager: EntityManager, websiteId: number): Promise<void> {
    return insertSightings(manager, websiteId, [...this.added.values()]);
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
    if (this.known.size > MOST_CACHED) this.known.clear();
    for (const key of this.added.keys()) this.known.add(key);
    this.begin();
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

function keyOf({ day, hash }: Sighting): string {
  return `${day} ${hash}`;
}

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'base64url');
}
