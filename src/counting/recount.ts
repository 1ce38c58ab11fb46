import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandError } from '../common/command';
import { dayText } from '../common/parsers';
import { Database } from '../database/database';
import { monthOf } from '../stats/cover';
import { nameOf, type StatName } from '../stats/dimensions';
import { archiveBeginsOn, type ArchivedDay, archivedDays, archivedHits } from './archive';
import { closedDays } from './closed-days';
import { addCounts, countsOf, packDay, removeCounts } from './counters';
import { CountingLease } from './counting-lease';
import { Dictionary, OTHER } from './dictionary';
import { type Counted, fold, Increments, type Sighting, withSightings } from './fold';
import {
  addUpAgain,
  agreesWithDays,
  dropLost,
  type Lost,
  lostDays,
  type MonthOfName,
  summedMonths,
} from './mending';
import { Seen } from './seen';

export interface Difference {
  day: string;
  name: StatName;
  value: string;
  counted: number;
  archived: number;
}

interface RecountedDay {
  day: number;
  increments: Increments;
  sightings: Sighting[];
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

  /** What is wrong with the packed counters in themselves, in words. */
  problems(websiteId: number): Promise<string[]> {
    return this.database.read(async (manager) => {
      const lost = (await lostDays(manager, websiteId)).map(({ error }) => error.detail);
      const disagreeing = await disagreeingMonths(manager, websiteId);
      return [...lost, ...disagreeing.map((month) => `${wordingOf(month)} is not the sum of its days.`)];
    }, PATIENCE_MS);
  }

  /** Counts again what cannot be trusted, and adds up months that are not the sum of their days. */
  async mend(lease: CountingLease): Promise<void> {
    const { websiteId } = lease;
    const lost = await this.database.read((manager) => lostDays(manager, websiteId), PATIENCE_MS);
    for (const month of new Set(lost.map(({ from }) => monthOf(from))))
      await this.recover(
        lease,
        month,
        lost.filter(({ from }) => monthOf(from) === month),
      );
    const months = await this.database.read((manager) => disagreeingMonths(manager, websiteId), PATIENCE_MS);
    for (const month of months) await this.change(lease, (manager) => addUpAgain(manager, websiteId, month));
  }

  /** Takes the website from whoever counts it: their next use of the lease fails, and nothing is counted twice. */
  lease(websiteId: number): Promise<CountingLease> {
    return CountingLease.seize(this.database, websiteId, randomUUID());
  }

  /** Replaces the counters of one day in one transaction. */
  async rebuildDay(lease: CountingLease, day: number, report: Report): Promise<void> {
    const recounted = await this.recountDay(lease, day, report);
    await this.change(lease, (manager) => this.replaceDay(manager, lease.websiteId, recounted));
  }

  /**
   * All that is lost of a month at once: until then it says that it is damaged, and nobody misses its counts. A day
   * cannot be replaced while anything else of it, or of its month's sums, is damaged.
   */
  private async recover(lease: CountingLease, month: number, lost: Lost[]): Promise<void> {
    const { websiteId } = lease;
    const archivedFrom = await this.database.read((manager) => archiveBeginsOn(manager, websiteId));
    for (const { error, from } of lost)
      if (from < archivedFrom)
        throw new CommandError(`${error.detail} The archive does not reach back so far.`);
    const days = (await this.days(websiteId)).filter(({ day }) =>
      lost.some(({ from, to }) => day >= from && day <= to),
    );
    const recounted: RecountedDay[] = [];
    for (const { day } of days) recounted.push(await this.recountDay(lease, day, () => undefined));
    await this.change(lease, async (manager) => {
      await dropLost(manager, websiteId, month, lost);
      for (const day of recounted) await this.replaceDay(manager, websiteId, day);
    });
  }

  private async recountDay(lease: CountingLease, day: number, report: Report): Promise<RecountedDay> {
    let renewed = Date.now();
    const renewing = async (hits: number) => {
      report(hits);
      if (Date.now() - renewed < RENEW_AFTER_MS) return;
      await this.renew(lease);
      renewed = Date.now();
    };
    const read = (manager: EntityManager) => recount(manager, lease.websiteId, day, renewing);
    return { day, ...(await this.database.read(read, PATIENCE_MS)) };
  }

  private async replaceDay(manager: EntityManager, websiteId: number, recounted: RecountedDay) {
    const { day, increments, sightings } = recounted;
    await removeCounts(manager, websiteId, day);
    const counts = [...increments.entries()];
    await addCounts(this.database, manager, websiteId, new Dictionary(websiteId), counts);
    const { closedBefore } = await closedDays(manager, websiteId);
    if (day < closedBefore) await packDay(manager, websiteId, day);
    if (await hasSalt(manager, day)) await Seen.replace(manager, websiteId, day, sightings);
  }

  private renew(lease: CountingLease): Promise<void> {
    return this.change(lease, () => Promise.resolve());
  }

  private async change(lease: CountingLease, work: (manager: EntityManager) => Promise<void>): Promise<void> {
    await this.database.write(async (manager) => {
      await lease.use(manager);
      await work(manager);
    }, PATIENCE_MS);
    lease.used();
  }
}

async function disagreeingMonths(manager: EntityManager, websiteId: number): Promise<MonthOfName[]> {
  const months: MonthOfName[] = [];
  for (const month of await summedMonths(manager, websiteId))
    if (!(await agreesWithDays(manager, websiteId, month))) months.push(month);
  return months;
}

function wordingOf({ name, month }: MonthOfName): string {
  return `The month from ${dayText(month)} of ${nameOf(name)}`;
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
    fold(hits.map(withSightings), isNew, increments);
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
