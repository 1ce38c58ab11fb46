import { dayIn } from './counting-model';

/** The bucket of a hit in a series; `at` is in seconds since 1970. */
export function bucketOf(name: string, at: number, day: string, timezone: string): string {
  const moment = at * 1000;
  const noon = new Date(`${day}T12:00:00Z`);
  if (name === 'day') return day;
  if (name === 'month') return day.slice(0, 7);
  if (name === 'weekday') return String(noon.getUTCDay() || 7);
  if (name === 'week') return isoWeek(noon);
  const time = new Date(moment).toLocaleTimeString('en-GB', { timeZone: timezone });
  if (name === 'hour_of_day') return String(Number(time.slice(0, 2)));
  return `${dayIn(timezone, moment)}T${time.slice(0, 2)}:00${offsetIn(timezone, moment)}`;
}

/** For example `+05:30`; `+00:00` in UTC. */
function offsetIn(timezone: string, moment: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')!.value;
  return name.replace('GMT', '') || '+00:00';
}

/** The first week of a year contains its fourth of January. */
function isoWeek(noon: Date): string {
  const year = [noon.getUTCFullYear() + 1, noon.getUTCFullYear(), noon.getUTCFullYear() - 1].find(
    (candidate) => noon >= firstMonday(candidate),
  )!;
  const weeks = Math.floor((noon.getTime() - firstMonday(year).getTime()) / (7 * 86_400_000));
  return `${year}-W${String(weeks + 1).padStart(2, '0')}`;
}

function firstMonday(year: number): Date {
  const fourth = new Date(Date.UTC(year, 0, 4));
  return new Date(Date.UTC(year, 0, 4 - ((fourth.getUTCDay() || 7) - 1)));
}
