import { ForgottenDay } from '../storage/damaged-hits';
import { forgottenBatches } from '../storage/hits/batches';
import { checkHashes } from '../storage/hits/day-visitors';
import { Injectable, Optional } from '@nestjs/common';
import { CommandError } from '../common/command';
import { dayText } from '../common/days';
import { Settings } from '../config/settings';
import { Database } from '../database/database';
import { RetentionClock } from '../retention/retention-clock';
import { monthOf } from '../storage/calendar';
import { raiseVersion, searchUnused } from '../storage/closed-days';
import { countsOn, replacedCounts, unpackedOn } from '../storage/day-counts';
import { nameOf, type StatName } from '../storage/dimensions';
import { type HitsOfDay, isAsItWas, keptDay, keptDays, keptFrom } from '../storage/kept-hits';
import { applySegments } from '../storage/segment-rows';
import {
  type CountsByName,
  mergedMonth,
  type MonthOfName,
  packedMonths,
  replacedDays,
} from '../storage/segment-store';
import { Sums } from '../storage/sums';
import { otherIds } from '../storage/value-rows';
import { Values } from '../storage/values';
import { differencesOf, type IdDifference, withOthers } from './differences';
import { HeldLease } from './held-lease';
import type { KeyPart } from './key-part';
import { newValuesOf, RecountNumbers } from './recount-numbers';
import { RecountedDay, type Report } from './recounted-day';
import { checkMonth, type DamagedRange, type MonthCheck } from './segment-check';
import { repairKeys } from './unique-index-repair';

export interface Difference {
  day: string;
  name: StatName;
  value: string;
  counted: number;
  archived: number;
}

const READ_PATIENCE_MS = 60_000;
/** Servers send events of up to 47 hours ago, and time zones may change. */
const DAYS_STILL_COUNTED = 3;

/**
 * Counts the archive again: to compare it with the counters, or to put right what differs. The archive is read without
 * the website's lease, so that its events are counted meanwhile; only the short rest happens under the lease.
 */
@Injectable()
export class Recount {
  private readonly numbers: RecountNumbers;

  constructor(
    private readonly database: Database,
    private readonly clock: RetentionClock,
    settings: Settings,
    @Optional() private readonly maxKeys?: number,
  ) {
    this.numbers = new RecountNumbers(database, settings);
  }

  /** The days whose counters can be held against the archive: those that lie wholly in it and are kept. */
  async days(websiteId: number): Promise<HitsOfDay[]> {
    const { keptFrom: from } = await this.clock.calendar();
    return this.database.read((manager) => keptDays(manager, websiteId, { from }), READ_PATIENCE_MS);
  }

  /** Compares one day, as it stands at one moment. */
  async verifyDay(websiteId: number, day: number, report: Report): Promise<Difference[]> {
    await this.expectVisitors(websiteId, day);
    await this.expectHashes(websiteId, day);
    const differences = await this.compare(websiteId, this.uncounted(websiteId, day), report);
    return differences.map((difference) => ({ ...difference, day: dayText(day) }));
  }

  /** Late hits find their visitors by hashes that nothing else reads. */
  private async expectHashes(websiteId: number, day: number): Promise<void> {
    const kept = await keptDay(this.database, websiteId, day);
    const sealing = kept.columns?.sealing ?? null;
    if (sealing === null) return;
    try {
      await checkHashes(this.database, { websiteId, day, sealing });
    } catch (error) {
      // They are forgotten, or their day is sealed again, at any moment.
      if (await isAsItWas(this.database, websiteId, kept)) throw error;
    }
  }

  /** Replaces what is wrong of one day; readers see all of it at once. */
  async rebuildDay(websiteId: number, day: number, report: Report): Promise<void> {
    await this.expectVisitors(websiteId, day);
    const recounted = this.uncounted(websiteId, day);
    const keepsKeys = await this.hasSalt(day);
    if (keepsKeys) await recounted.catchUp(this.database, report);
    else if ((await this.compare(websiteId, recounted, report)).length === 0) return;
    await HeldLease.during(this.database, websiteId, async (held) => {
      const renewing = held.renewingAfter(report);
      const repair = (part: KeyPart, keys: ReadonlySet<string>) =>
        repairKeys(this.database, held, websiteId, day, part, keys);
      await recounted.catchUp(this.database, renewing, keepsKeys ? { each: repair } : {});
      const counts = await this.numbers.assigned(websiteId, held, recounted, renewing);
      const { dialect } = this.database;
      const counted = await countsOn(this.database, websiteId, day);
      const wanted = withOthers(counted, counts, await otherIds(dialect, this.database, websiteId));
      await held.write(await replacedCounts(dialect, this.database, websiteId, day, wanted));
    });
  }

  /** Lets the packer free the numbers of values that no counter uses after days were rebuilt. */
  async freeUnused(websiteId: number): Promise<void> {
    await HeldLease.during(this.database, websiteId, (held) =>
      held.write((manager) => searchUnused(manager, websiteId)),
    );
  }

  /** What is wrong with the packed counters in themselves, in words. */
  async problems(websiteId: number, report: Report): Promise<string[]> {
    const problems: string[] = [];
    for (const month of await this.packedMonths(websiteId)) {
      const { damaged, sumIsRight } = await this.check(websiteId, month);
      problems.push(...damaged.map(({ error }) => error.detail));
      if (!sumIsRight) problems.push(`${wordingOf(month)} is not the sum of its days.`);
      await report(0);
    }
    return problems;
  }

  /** Counts again what cannot be read, and adds up months that are not the sum of their days. */
  async repair(websiteId: number, report: Report): Promise<void> {
    for (const month of await this.packedMonths(websiteId)) {
      const { damaged } = await this.check(websiteId, month);
      for (const range of damaged) await this.recover(websiteId, month.name, range, report);
      const { sumIsRight } = await this.check(websiteId, month);
      if (sumIsRight) continue;
      await HeldLease.during(this.database, websiteId, async (held) => {
        const changes = await mergedMonth(this.database, websiteId, month, () => held.renewIfDue());
        await held.write(async (manager) => {
          await applySegments(manager, changes);
          await raiseVersion(manager, websiteId);
        });
      });
    }
  }

  /** The packed counts of some days of one name, all at once; until then they are an error, and never too low. */
  private async recover(
    websiteId: number,
    name: number,
    { error, from, to }: DamagedRange,
    report: Report,
  ): Promise<void> {
    const { keptFrom: countedFrom, today } = await this.clock.calendar();
    const statName = nameOf(name);
    const first = Math.max(from, countedFrom);
    const archivedFrom = await this.database.read((manager) => keptFrom(manager, websiteId));
    if (first <= to && first < archivedFrom)
      throw new CommandError(`${error.detail} The archive does not reach back so far.`);
    const days: RecountedDay[] = [];
    for (let day = first; day <= to; day++) {
      const recounted = this.uncounted(websiteId, day);
      await recounted.catchUp(this.database, () => report(0));
      if (day < today - DAYS_STILL_COUNTED) recounted.keepOnly(statName);
      days.push(recounted);
    }
    await HeldLease.during(this.database, websiteId, async (held) => {
      const renewing = held.renewingAfter(() => report(0));
      const counts = new Map<number, Sums>();
      for (const recounted of days) {
        await recounted.catchUp(this.database, renewing);
        const ofDay = await this.numbers.assigned(websiteId, held, recounted, renewing, statName);
        recounted.keepOnly(statName);
        counts.set(recounted.day, ofDay.get(name) ?? new Sums());
      }
      for (const [day, sums] of counts) subtract(sums, await unpackedOn(this.database, websiteId, name, day));
      const change = await replacedDays(this.database, websiteId, name, { from, to }, counts);
      await held.write(async (manager) => {
        await applySegments(manager, [change]);
        await raiseVersion(manager, websiteId);
      });
    });
  }

  private async expectVisitors(websiteId: number, day: number): Promise<void> {
    const forgotten = await this.database.read(
      (manager) => forgottenBatches(manager, websiteId, day),
      READ_PATIENCE_MS,
    );
    if (forgotten > 0) throw new ForgottenDay(websiteId, day);
  }

  private uncounted(websiteId: number, day: number): RecountedDay {
    return new RecountedDay(websiteId, day, this.maxKeys);
  }

  /** The counters, and how many hits there are, are of one snapshot; hits that are added later are not read. */
  private async compare(websiteId: number, recounted: RecountedDay, report: Report) {
    const { day } = recounted;
    let counted: CountsByName = new Map();
    const now = () =>
      this.database.read(async (manager) => {
        counted = await countsOn(manager, websiteId, day);
        return keptDay(manager, websiteId, day);
      }, READ_PATIENCE_MS);
    const { hits } = await recounted.catchUp(this.database, report, { now });
    // They were removed meanwhile.
    if (hits === 0) return [];
    const dictionary = await this.numbers.dictionaryOf(websiteId);
    const archived = await recounted.counts(this.database, dictionary, report);
    const others = await otherIds(this.database.dialect, this.database, websiteId);
    const rows = newValuesOf(dictionary.prepared());
    if (rows.length === 0) dictionary.remember();
    return this.worded(websiteId, differencesOf(counted, archived, others), rows);
  }

  private async worded(
    websiteId: number,
    differences: IdDifference[],
    unknownValues: unknown[][],
  ): Promise<Omit<Difference, 'day'>[]> {
    const unknown = new Map(
      unknownValues.map(([, name, id, , value]) => [`${String(name)} ${String(id)}`, value as Buffer]),
    );
    return this.database.read(async (manager) => {
      const worded: Omit<Difference, 'day'>[] = [];
      for (const { name, id, counted, archived } of differences) {
        const value =
          unknown.get(`${name} ${id}`) ??
          (await new Values(manager, websiteId, nameOf(name)).of([id])).get(id);
        worded.push({ name: nameOf(name), value: value?.toString() ?? `number ${id}`, counted, archived });
      }
      return worded;
    }, READ_PATIENCE_MS);
  }

  /** Months that are kept; the packer removes others piece by piece. */
  private async packedMonths(websiteId: number): Promise<MonthOfName[]> {
    const { keptFrom: from } = await this.clock.calendar();
    const months = await this.database.read((manager) => packedMonths(manager, websiteId), READ_PATIENCE_MS);
    return months.filter(({ month }) => month >= monthOf(from));
  }

  private check(websiteId: number, month: MonthOfName): Promise<MonthCheck> {
    return this.database.read((manager) => checkMonth(manager, websiteId, month), READ_PATIENCE_MS);
  }

  private async hasSalt(day: number): Promise<boolean> {
    const rows = await this.database.read((manager) =>
      manager.query<unknown[]>('SELECT day FROM salts WHERE day = ?', [day]),
    );
    return rows.length > 0;
  }
}

/** What rows say of a day is not packed as well. */
function subtract(sums: Sums, rows: Sums): void {
  sums.addAll(rows, -1);
  for (const id of sums.ids()) if (sums.counts[id]! < 0) sums.counts[id] = 0;
}

function wordingOf({ name, month }: MonthOfName): string {
  return `The month from ${dayText(month)} of ${nameOf(name)}`;
}
