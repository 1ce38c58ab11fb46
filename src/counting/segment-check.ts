import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Span } from '../storage/calendar';
import { closedDays } from '../storage/closed-days';
import { addSection, DamagedSegment, type Segment, sectionsOf } from '../storage/segment-format';
import type { StoredSegment } from '../storage/segment-rows';
import { daysOfMonth, type MonthOfName, sumsOfMonth } from '../storage/segment-store';
import { Sums } from '../storage/sums';

/** Days of one name whose packed counts cannot be read. */
export interface DamagedRange extends Span {
  error: DamagedSegment;
}

export interface MonthCheck {
  damaged: DamagedRange[];
  /** Whether the sum of the month, where it has one, is the sum of its days. */
  sumIsRight: boolean;
}

/** Checks the segments of a month of one name, in the caller's snapshot. */
export async function checkMonth(
  manager: EntityManager,
  websiteId: number,
  { name, month }: MonthOfName,
): Promise<MonthCheck> {
  const { mergedBefore } = await closedDays(manager, websiteId);
  const days = await readable(daysOfMonth(manager, websiteId, name, month));
  const sum = await readable(sumsOfMonth(manager, websiteId, month, name));
  const hasSum = month < mergedBefore || sum.segments > 0;
  const areReadable = days.damaged.length === 0 && sum.damaged.length === 0;
  return { damaged: days.damaged, sumIsRight: !hasSum || (areReadable && areEqual(days.sums, sum.sums)) };
}

/** Adds up the segments that can be read. */
async function readable(stored: AsyncGenerator<StoredSegment>) {
  const sums = new Sums();
  const damaged: DamagedRange[] = [];
  let segments = 0;
  for await (const segment of stored) {
    segments++;
    const error = damageOf(segment);
    if (error) damaged.push({ error, from: segment.from, to: segment.to });
    else for (const section of sectionsOf(segment)) addSection(sums, section);
    await yieldIfNeeded();
  }
  return { sums, damaged, segments };
}

function areEqual(one: Sums, other: Sums): boolean {
  const difference = one.copy();
  difference.addAll(other, -1);
  return difference.ids().length === 0;
}

function damageOf(segment: Segment): DamagedSegment | undefined {
  try {
    sectionsOf(segment);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedSegment) return error;
    throw error;
  }
}
