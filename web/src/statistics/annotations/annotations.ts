import type { components } from '../../../../clients/typescript/src/openapi';
import { localTimeIn } from '../../shared/local-time';
import { momentText } from '../../shared/ranges';
import type { Bucket } from '../chart/series';

type Schemas = components['schemas'];
/** Readers who are not the owner see the time and the text alone. */
export type Annotation = Schemas['SharedAnnotation'] & Partial<Schemas['Annotation']>;

export interface AnnotationsAnswer {
  data: Annotation[];
  meta: Schemas['PageMeta'];
}

/** Where a reader finds annotations, and how the owner changes them. */
export interface AnnotationsAccess {
  url: string;
  /** Undefined for readers. It rejects with the service's problem. */
  change?: (method: 'POST' | 'PATCH' | 'DELETE', path: string, fields?: object) => Promise<unknown>;
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;
const HOUR_S = 3600;
const QUARTER_S = 900;

const isDay = (at: string) => at.length === DAY_LENGTH;

/** A day, or a moment as the local time `Y-m-dTHH:mm`. */
export function localTime(at: string, timezone: string): string {
  if (isDay(at)) return at;
  const second = Date.parse(at) / 1000;
  const local = second + localTimeIn(timezone).offsetAt(second);
  return momentText(local).slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/**
 * The day, or the moment of a local time of the day. A time that the clock skips is as much later. Of one that comes
 * twice, the moment has the offset of the one that was chosen before, if that is possible.
 */
export function timeFor(day: string, clock: string, timezone: string, chosen = day): string {
  if (clock === '') return day;
  const time = localTimeIn(timezone);
  const local = Date.parse(`${day}T${clock}:00Z`) / 1000;
  const isSo = (offset: number) => time.offsetAt(local - offset) === offset;
  const known = isDay(chosen) ? undefined : time.offsetAt(Date.parse(chosen) / 1000);
  const offset = known !== undefined && isSo(known) ? known : time.offsetAt(local - time.offsetAt(local));
  return momentText(local - offset);
}

/** The first moment of a local hour with its offset. Some clocks skip or repeat half an hour, so it may begin late. */
export function beginOf(hourOfZone: string, timezone: string): string {
  const time = localTimeIn(timezone);
  const begin = Date.parse(hourOfZone) / 1000;
  const offset = Date.parse(`${hourOfZone.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`) / 1000 - begin;
  const quarters = [0, 1, 2, 3].map((quarter) => begin + quarter * QUARTER_S);
  return momentText(quarters.find((moment) => time.offsetAt(moment) === offset) ?? begin);
}

/** The annotations of each bucket. */
export function byBucket(
  buckets: readonly Bucket[],
  annotations: readonly Annotation[],
  timezone: string,
): Annotation[][] {
  const found = buckets.map((): Annotation[] => []);
  for (const annotation of annotations) found[placeOf(annotation.at, buckets, timezone)]?.push(annotation);
  return found;
}

/** A day belongs to its first hour. Of an hour that comes twice, a moment belongs to its own. */
function placeOf(at: string, buckets: readonly Bucket[], timezone: string): number {
  const local = localTime(at, timezone);
  const day = local.slice(0, DAY_LENGTH);
  const isOfDay = ({ from, to }: Bucket) => from <= day && day <= to;
  if (isDay(at) || buckets[0]?.hour === undefined) return buckets.findIndex(isOfDay);
  const isOfHour = ({ hour }: Bucket) => hour?.slice(0, 'YYYY-MM-DDTHH'.length) === local.slice(0, 13);
  return isBeforeRepetition(at, timezone) ? buckets.findIndex(isOfHour) : buckets.findLastIndex(isOfHour);
}

function isBeforeRepetition(at: string, timezone: string): boolean {
  const time = localTimeIn(timezone);
  const second = Date.parse(at) / 1000;
  return time.offsetAt(second + HOUR_S) < time.offsetAt(second);
}
