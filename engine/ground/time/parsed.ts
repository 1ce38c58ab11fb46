import { NotAllowed } from '../errors';
import { DAY_MS, dayText } from './days';

export const DAY_MESSAGE = 'must be a valid date (YYYY-MM-DD) from 1970-01-01 to 9999-12-31';

export function day(sent: string): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(sent);
  const moment = match ? Date.parse(`${sent}T00:00:00Z`) : NaN;
  if (!(moment >= 0) || dayText(moment / DAY_MS) !== sent) throw new NotAllowed(DAY_MESSAGE);
  return moment / DAY_MS;
}

/** NaN for another form and for dates like 30 February or times like 24:00, which `Date.parse` would move. */
export function moment(sent: string, form: RegExp): number {
  const milliseconds = form.test(sent) ? Date.parse(sent) : NaN;
  const minute = sent.slice(0, 'YYYY-MM-DDTHH:MM'.length);
  const isReal = !Number.isNaN(milliseconds) && new Date(`${minute}Z`).toISOString().startsWith(minute);
  return isReal ? milliseconds : NaN;
}
