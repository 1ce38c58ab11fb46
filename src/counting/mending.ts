import type { EntityManager } from 'typeorm';
import { monthOf } from '../stats/cover';
import { DamagedSegment, sectionsOf, SPANS } from '../stats/segment';
import { closedDays, raiseVersion } from './closed-days';
import { differenceOfMonth, mergeMonth, mergeNames, segmentAt } from './segments';

interface Row {
  name: number;
  span: number;
  day: number;
  part: number;
  last_day: number;
}

/** A segment of days whose counts are lost, but for the archive. */
export interface Lost {
  error: DamagedSegment;
  from: number;
  to: number;
}

export interface MonthOfName {
  name: number;
  month: number;
}

/** The segments of days that cannot be trusted. A sum that cannot be is made of the days again. */
export async function lostDays(manager: EntityManager, websiteId: number): Promise<Lost[]> {
  const lost: Lost[] = [];
  for (const row of await rowsOf(manager, websiteId)) {
    if (row.span !== SPANS.days) continue;
    try {
      sectionsOf(await segmentAt(manager, { websiteId, ...row }));
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      lost.push({ error, from: row.day, to: row.last_day });
    }
  }
  return lost;
}

/** Takes out all that cannot be trusted of a month, so that its days can be counted again. */
export async function dropLost(
  manager: EntityManager,
  websiteId: number,
  month: number,
  lost: Lost[],
): Promise<void> {
  for (const { error, from, to } of lost)
    await manager.query(
      'DELETE FROM stat_segments WHERE website_id = ? AND name = ? AND span = ? AND day BETWEEN ? AND ?',
      [websiteId, error.segment.name, SPANS.days, from, to],
    );
  const { mergedBefore } = await closedDays(manager, websiteId);
  if (month < mergedBefore) await mergeNames(manager, websiteId, month);
  await raiseVersion(manager, websiteId);
}

/** Puts what the days add up to in the place of a sum that said something else. */
export async function addUpAgain(
  manager: EntityManager,
  websiteId: number,
  { name, month }: MonthOfName,
): Promise<void> {
  await mergeMonth(manager, websiteId, name, month);
  await raiseVersion(manager, websiteId);
}

/** The months of all names that have, or should have, a sum. */
export async function summedMonths(manager: EntityManager, websiteId: number): Promise<MonthOfName[]> {
  const { mergedBefore } = await closedDays(manager, websiteId);
  const months = new Map<string, MonthOfName>();
  for (const { name, day } of await rowsOf(manager, websiteId))
    if (day < mergedBefore) months.set(`${name} ${monthOf(day)}`, { name, month: monthOf(day) });
  return [...months.values()];
}

/** Whether the sum of a month is what its days add up to. */
export async function agreesWithDays(
  manager: EntityManager,
  websiteId: number,
  { name, month }: MonthOfName,
): Promise<boolean> {
  try {
    return (await differenceOfMonth(manager, websiteId, name, month)).ids().length === 0;
  } catch (error) {
    if (error instanceof DamagedSegment) return false;
    throw error;
  }
}

function rowsOf(manager: EntityManager, websiteId: number): Promise<Row[]> {
  return manager.query<Row[]>(
    'SELECT name, span, day, part, last_day FROM stat_segments WHERE website_id = ? ORDER BY name, span, day, part',
    [websiteId],
  );
}
