import { isSince, type Warning } from '../shared/api';
import type { Span } from '../shared/ranges';

interface Answer {
  meta: { warnings?: Warning[] };
}

/** The day in the words of the service. It is the last one, because the name of a property may look the same. */
const SINCE = /^.*since (\d{4}-\d\d-\d\d);/s;

/**
 * The day since which an answer is complete, if its range had visitors before. `first` is the first day with visitors.
 * A smaller number would stand beside those of the whole range.
 */
export function sinceIn(
  { meta: { warnings = [] } }: Answer,
  { from }: Span,
  first: string | undefined,
): string | undefined {
  const begins = first !== undefined && first > from ? first : from;
  const days = warnings.filter(isSince).map(({ detail }) => SINCE.exec(detail)?.[1] ?? '');
  return days
    .filter((day) => day > begins)
    .sort()
    .at(-1);
}

/** An answer about several names, without the warnings about others of them. */
export function about(name: string, { meta: { warnings = [] } }: Answer): Answer {
  const concerns = ({ code, detail }: Warning) =>
    code !== 'collected_since' || detail.startsWith(`${name} is collected `);
  return { meta: { warnings: warnings.filter(concerns) } };
}
