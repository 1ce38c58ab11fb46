import { NotAllowed, type Parse } from './fields';

const DAY_MS = 86_400_000;

export function oneOf<T extends string>(allowed: readonly T[]): Parse<T> {
  return (sent) => {
    const value = allowed.find((known) => known === sent);
    if (value === undefined) throw new NotAllowed(`must be one of ${allowed.join(', ')}`);
    return value;
  };
}

export function oneOfNumbers<T extends number>(allowed: readonly T[]): Parse<T> {
  return (sent) => {
    const value = allowed.find((known) => String(known) === sent);
    if (value === undefined) throw new NotAllowed(`must be one of ${allowed.join(', ')}`);
    return value;
  };
}

export function wholeNumber(sent: string): number {
  const value = positiveInteger(sent);
  if (value === undefined) throw new NotAllowed('must be a whole number from 1, in digits alone');
  return value;
}

export function positiveInteger(text: string): number | undefined {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

export function yesOrNo(sent: string): boolean {
  if (sent === 'true' || sent === '1') return true;
  if (sent === 'false' || sent === '0') return false;
  throw new NotAllowed('must be one of true, false, 1, 0');
}

/** A literal text to look for; none where it is empty. */
export function searchText(sent: string): string | undefined {
  if (Buffer.byteLength(sent) > 1024) throw new NotAllowed('must have at most 1,024 bytes');
  return sent === '' ? undefined : fold(sent);
}

/** The one way in which texts are folded for a search, on both sides and on both databases. */
export function fold(text: string): string {
  return text.toLowerCase();
}

/** A day as the number of days since 1970-01-01. */
export function day(sent: string): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(sent);
  const moment = match ? Date.parse(`${sent}T00:00:00Z`) : NaN;
  if (!(moment >= 0) || dayText(moment / DAY_MS) !== sent)
    throw new NotAllowed('must be a real day in the format Y-m-d, from 1970-01-01 to 9999-12-31');
  return moment / DAY_MS;
}

export function dayText(days: number): string {
  return new Date(days * DAY_MS).toISOString().slice(0, 10);
}

export function dateTime(sent: string): Date {
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(sent) ? Date.parse(`${sent}Z`) : NaN;
  if (!(moment >= 0) || dateTimeText(new Date(moment)) !== sent)
    throw new NotAllowed('must be a real date and time in the format Y-m-dTH:i:s (UTC), from 1970 on');
  return new Date(moment);
}

export function dateTimeText(moment: Date): string {
  return moment.toISOString().slice(0, 19);
}
