import { NotAllowed } from '../../engine/ground/errors';

export function wholeNumber(sent: string): number {
  const value = positiveInteger(sent);
  if (value === undefined) throw new NotAllowed('must be a positive integer');
  return value;
}

export function positiveInteger(text: string): number | undefined {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

export const DATE_TIME_MESSAGE = 'must be a UTC date-time from 1970 on, like 2026-01-31T12:00:00';

export function dateTime(sent: string): Date {
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(sent) ? Date.parse(`${sent}Z`) : NaN;
  if (!(moment >= 0) || dateTimeText(new Date(moment)) !== sent) throw new NotAllowed(DATE_TIME_MESSAGE);
  return new Date(moment);
}

export function dateTimeText(moment: Date): string {
  return moment.toISOString().slice(0, 19);
}

/** An email address in its stored form. */
export function normaliseEmail(sent: string): string {
  const email = sent.trim();
  if (!/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email) || email.length > 254)
    throw new NotAllowed('must be an email address with at most 254 characters');
  return email.toLowerCase();
}

/** A name that people give to a thing of theirs. */
export function displayName(text: string): string {
  const name = text.trim();
  if (!/^\P{Cc}{1,100}$/u.test(name))
    throw new NotAllowed('must have 1 to 100 characters, and no control characters');
  return name;
}
