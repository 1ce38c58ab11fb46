import {
  type BucketName,
  BUCKETS,
  type Buckets,
  isOfDay,
  type Zone,
} from '../../../engine/questions/plan/buckets';
import type { Range } from '../../../engine/questions/plan/hit-query';
import { type Dimension, daysOf, isWanted, NEVER, NotInSql } from './dimension';

const HOUR_S = 3600;
const DAY_S = 86_400;
const QUARTER_S = 900;

/** The offset of a zone from a moment on. */
interface Offset {
  readonly begin: number;
  readonly offset: number;
}

/** The day or the hour of a row. A visitor belongs to one day, so longer and repeated ones are added up afterwards. */
export function ofMoments(bucket: BucketName, range: Range, zone: Zone): Dimension {
  return isOfDay(bucket) ? ofDays(BUCKETS[bucket](range.days, zone), range) : ofHours(bucket, range, zone);
}

function ofDays(buckets: Buckets, { days: { from, to } }: Range): Dimension {
  return {
    valueOf: (hit) => `${hit}.day`,
    has: (hit, wanted) => {
      const days: number[] = [];
      for (let day = from; day <= to; day++)
        if (isWanted(buckets.valueOf(buckets.indexOf(day, 0)), wanted)) days.push(day);
      return days.length === 0 ? NEVER : `${hit}.day IN (${days.join(', ')})`;
    },
  };
}

/** No time-zone function of a database is used: the offsets of the zone stand in the statement. */
function ofHours(bucket: BucketName, range: Range, zone: Zone): Dimension {
  const offsets = offsetsIn(range, zone);
  const hourOf = bucket === 'hour' ? beginOfHour : secondOfDay;
  return {
    valueOf: (hit, counted) => {
      const at = counted === 'visits' ? beginOfVisit(hit, range) : `${hit}.at`;
      const cases = offsets
        .slice(1)
        .map(({ begin }, index) => `WHEN ${at} < ${begin} THEN ${hourOf(at, offsets[index]!)}`);
      const last = hourOf(at, offsets.at(-1)!);
      return cases.length === 0 ? last : `CASE ${cases.join(' ')} ELSE ${last} END`;
    },
    has: () => {
      throw new NotInSql(bucket);
    },
  };
}

/** The first moment of an hour. Clocks may be set back or forward within it. */
function beginOfHour(at: string, { begin, offset }: Offset): string {
  const hour = `${at} - (${at} + ${offset}) % ${HOUR_S}`;
  return (begin + offset) % HOUR_S === 0
    ? hour
    : `CASE WHEN ${hour} < ${begin} THEN ${begin} ELSE ${hour} END`;
}

/** The second at which an hour begins on any day. */
function secondOfDay(at: string, { offset }: Offset): string {
  return `(${at} + ${offset}) % ${DAY_S} - (${at} + ${offset}) % ${HOUR_S}`;
}

/** A visit stands in the hour of its first hit within the range. */
function beginOfVisit(hit: string, { moments }: Range): string {
  if (!moments) return `${hit}.visit_at`;
  return `CASE WHEN ${hit}.visit_at >= ${moments.from} THEN ${hit}.visit_at ELSE (
    SELECT MIN(own.at) FROM hits own WHERE ${daysOf('own')} AND own.day = ${hit}.day AND own.visitor = ${hit}.visitor
      AND own.visit = ${hit}.visit AND own.at >= ${moments.from}) END`;
}

/** A day that was counted in another time zone may have hits outside of its current bounds. */
function offsetsIn({ days }: Range, zone: Zone): Offset[] {
  const { from, to } = zone.moments({ from: days.from - 1, to: days.to + 1 });
  const offsetAt = (begin: number) => ({ begin, offset: zone.time.offsetAt(begin) });
  const offsets = [offsetAt(QUARTER_S * Math.floor(from / QUARTER_S))];
  // No zone changes its offset twice in a day.
  for (let { begin } = offsets[0]!; begin <= to; begin += DAY_S) {
    if (offsetAt(begin + DAY_S).offset === offsets.at(-1)!.offset) continue;
    let next = offsetAt(begin);
    while (next.offset === offsets.at(-1)!.offset) next = offsetAt(next.begin + QUARTER_S);
    offsets.push(next);
  }
  return offsets;
}
