import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { dayText } from '../common/parsers';
import { Database } from '../database/database';
import type { StatName } from '../stats/dimensions';
import { type ArchivedDay, archivedDays, archivedHits } from './archive';
import { addCounts, countsOf, removeCounts } from './counters';
import { CountingLease } from './counting-lease';
import { Dictionary, OTHER } from './dictionary';
import { type Counted, fold, Increments, type Sighting } from './fold';
import { Seen } from './seen';

export interface Difference {
  day: string;
  name: StatName;
  value: string;
  counted: number;
  archived: number;
}

type Report = (hits: number) => void;

const PATIENCE_MS = 15 * 60_000;
const RENEW_AFTER_MS = 1500;

/** Counts the archive again: to compare it with the counters, or to put what it says in their place. */
@Injectable()
export class Recount {
  constructor(private readonly database: Database) {}

  days(websiteId: number): Promise<ArchivedDay[]> {
    return this.database.read((manager) => archivedDays(manager, websiteId));
  }

  /** Compares one day, as it stands at one moment. */
  verifyDay(websiteId: number, day: number, report: Report): Promise<Difference[]> {
    return this.database.read(async (manager) => {
      const { increments } = await recount(manager, websiteId, day, report);
      return differences(await countsOf(manager, websiteId, day), [...increments.entries()]);
    }, PATIENCE_MS);
  }

  /** Takes the website from whoever counts it: their next use of the lease fails, and nothing is counted twice. */
  lease(websiteId: number): Promise<CountingLease> {
    return CountingLease.seize(this.database, websiteId, randomUUID());
  }

  /** Replaces the counters of one day in one transaction. */
  async rebuildDay(lease: CountingLease, day: number, report: Report): Promise<void> {
    const { websiteId } = lease;
    let renewed = Date.now();
    const { increments, sightings } = await this.database.read(
      (manager) =>
        recount(manager, websiteId, day, async (hits) => {
          report(hits);
          if (Date.now() - renewed < RENEW_AFTER_MS) return;
          await this.renew(lease);
          renewed = Date.now();
        }),
      PATIENCE_MS,
    );
    await this.database.write(async (manager) => {
      await lease.use(manager);
      await removeCounts(manager, websiteId, day);
      await addCounts(this.database, manager, websiteId, new Dictionary(websiteId), [
        ...increments.entries(),
      ]);
      if (await hasSalt(manager, day)) await Seen.replace(manager, websiteId, day, sightings);
    }, PATIENCE_MS);
    lease.used();
  }

  private async renew(lease: CountingLease): Promise<void> {
    await this.database.write((manager) => lease.use(manager));
    lease.used();
  }
}

async function recount(
  manager: EntityManager,
  websiteId: number,
  day: number,
  report: (hits: number) => void | Promise<void>,
): Promise<{ increments: Increments; sightings: Sighting[] }> {
  const seen = new Map<string, Sighting>();
  const isNew = (sighting: Sighting) =>
    !seen.has(sighting.hash) && Boolean(seen.set(sighting.hash, sighting));
  const increments = new Increments();
  for await (const hits of archivedHits(manager, websiteId, day)) {
    fold(hits, isNew, increments);
    await report(hits.length);
  }
  return { increments, sightings: [...seen.values()] };
}

function differences(counted: Counted[], archived: Counted[]): Difference[] {
  const counts = new Map<string, Difference>();
  const entryOf = ({ name, day, value }: Counted): Difference => {
    const key = `${name} ${value}`;
    const entry = counts.get(key) ?? { day: dayText(day), name, value, counted: 0, archived: 0 };
    counts.set(key, entry);
    return entry;
  };
  for (const count of counted) entryOf(count).counted += count.hits;
  for (const count of archived) {
    const known = counts.has(`${count.name} ${count.value}`) || !counts.has(`${count.name} ${OTHER}`);
    entryOf(known ? count : { ...count, value: OTHER }).archived += count.hits;
  }
  return [...counts.values()].filter((entry) => entry.counted !== entry.archived);
}

async function hasSalt(manager: EntityManager, day: number): Promise<boolean> {
  const rows = await manager.query<unknown[]>('SELECT day FROM salts WHERE day = ?', [day]);
  return rows.length > 0;
}
