import type { Database } from '../../database/database';
import type { Queryable } from '../../database/rows';
import type { Exclusion } from '../../questions/exclusions';
import { readReplacedDays } from '../batches/batches';
import { readReplacedCheckpoints } from '../checkpoints/checkpoints';
import type { CountingLease } from '../leases/counting-lease';
import { readExclusions } from '../left-out';
import { partsOf } from '../read/part-reader';
import type { OverDays } from '../seal/sealing-times';
import { HOMES, type SegmentDays } from '../segments/hit-segments';
import { daysOfPart } from '../segments/merged-part';
import { segmentsOf } from '../segments/segment-merge-rules';
import { type HitsOfDay, readDays } from '../stored-days';
import type { ColumnWork } from './column-work';
import { FORGOTTEN_WITHIN_MS } from './day-move';
import { isHitWaiting, Purge, type PurgedDays, type PurgeRules, type SealedDay } from './purge';
import { SegmentMerge } from './segment-merge';

/** The next days to purge, the oldest ones of an exclusion first. */
export async function nextPurge(
  database: Database,
  { websiteId, nextUse }: CountingLease,
  rules: PurgeRules,
): Promise<ColumnWork | undefined> {
  if (await isHitWaiting(database, websiteId, rules)) return undefined;
  const all = await readDays(database, websiteId);
  const replaced = (await readReplacedDays(database, websiteId)).map(({ day }) => day);
  const held = new Set([...replaced, ...(await readReplacedCheckpoints(database, websiteId))]);
  for (const exclusion of await readExclusions(database, websiteId)) {
    const purged = exclusion.purge && nextDays(exclusion, all, held, rules);
    if (!purged) continue;
    const former = await formerSegment(database, websiteId, purged, all);
    if (former?.days.some(({ day }) => rules.isPaused(day))) continue;
    return former
      ? new SegmentMerge(database, websiteId, [former], nextUse)
      : new Purge(database, websiteId, purged, nextUse, rules);
  }
  return undefined;
}

/** Undefined if the first day is not ready. */
function nextDays(
  exclusion: Exclusion,
  all: readonly HitsOfDay[],
  held: ReadonlySet<number>,
  { before, isPaused }: PurgeRules,
): PurgedDays | undefined {
  const { from, to = Infinity } = exclusion;
  const left = all.filter(({ day }) => day >= from && day <= to);
  const isReady = ({ day, hits, columns }: HitsOfDay) =>
    day < before && columns?.hits === hits && columns.sealing === null && !held.has(day);
  const until = left.findIndex((own) => !isReady(own) || !isTogether(left[0]!, own));
  const days = left.slice(0, until < 0 ? undefined : until) as SealedDay[];
  const isLast = days.length === left.length && to < before;
  if (days.length === 0) return isLast ? { exclusion, days, others: [], before: to + 1 } : undefined;
  const others = all.filter((own) => isTogether(days[0]!, own) && !days.some(({ day }) => day === own.day));
  if ([...days, ...others].some(({ day }) => isPaused(day))) return undefined;
  return { exclusion, days, others: others as SealedDay[], before: isLast ? to + 1 : days.at(-1)!.day + 1 };
}

/**
 * A segment of other days keeps the hits of a day that has moved, or was sealed again, until it is rewritten. That comes
 * first, because nothing leads there once the day is purged.
 */
async function formerSegment(
  database: Database,
  websiteId: number,
  { days }: PurgedDays,
  all: readonly HitsOfDay[],
): Promise<SegmentDays | undefined> {
  const purged = new Set(days.map(({ day }) => day));
  for (const own of segmentsOf([...all])) {
    if (own.days.some(({ day }) => purged.has(day))) continue;
    const stored = all.filter(({ day }) => own.days.some((named) => named.day === day));
    for (const {
      segment,
      part,
      days: [first],
    } of partsOf(stored)) {
      const kept = await daysOfPart(database, { websiteId, segment, part }, first!);
      if (kept.some((day) => purged.has(day))) return own;
    }
  }
  return undefined;
}

/** Tells whether a day is in the segment of another one. */
function isTogether(one: HitsOfDay, other: HitsOfDay): boolean {
  if (one.day === other.day) return true;
  const [own, others] = [one.columns, other.columns];
  return own?.home === HOMES.columns && others?.home === HOMES.columns && own.segment === others.segment;
}

/** The next moment at which a day may be purged. */
export async function purgesAt(
  reader: Queryable,
  websiteId: number,
  { now, forgetAt }: OverDays,
): Promise<number> {
  const all = await readDays(reader, websiteId);
  const purged = (await readExclusions(reader, websiteId)).filter(({ purge }) => purge);
  const next = purged.map(({ from, to }) => all.find(({ day }) => day >= from && day <= to!)?.day ?? to!);
  return Math.min(...next.map((day) => Math.max(now, forgetAt(day)) + FORGOTTEN_WITHIN_MS));
}
