import { DayClock } from '../../engine/ground/time/day-clock';
import { dayText } from '../../engine/ground/time/days';
import { NotAllowed } from '../../engine/ground/errors';
import { day, moment } from '../../engine/ground/time/parsed';
import type { Annotation } from './annotation.entity';

export type AnnotatedTime = Pick<Annotation, 'day' | 'moment'>;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const END = Date.parse('9999-12-31T23:59:59Z') + 1000;
const ALLOWED =
  'must be a day (2026-01-31) or a moment with Z or its offset (2026-01-31T12:00:00+01:00), from 1970 to 9999';
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** A day as it was sent, or a moment in UTC and whole seconds. */
export function normaliseTime(sent: string): string {
  if (sent.length === DAY_LENGTH) return dayText(dayIn(sent));
  const milliseconds = moment(sent, MOMENT);
  if (!(milliseconds >= 0 && milliseconds < END)) throw new NotAllowed(ALLOWED);
  return secondText(milliseconds);
}

function dayIn(sent: string): number {
  try {
    return day(sent);
  } catch (error) {
    if (error instanceof NotAllowed) throw new NotAllowed(ALLOWED);
    throw error;
  }
}

function secondText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`;
}

/** The columns of a normalised time. */
export function columnsOfTime(time: string, clock: DayClock): AnnotatedTime {
  if (time.length > DAY_LENGTH) return { day: null, moment: new Date(time) };
  const at = day(time);
  return { day: at, moment: new Date(clock.endOf(at - 1)) };
}

export function timeText({ day, moment }: AnnotatedTime): string {
  return day === null ? secondText(moment.getTime()) : dayText(day);
}
