import { isIncomplete, type QueryAnswer } from '../../../../shared/api';
import { useTyped } from '../../../../shared/controls/search';
import { plusDays } from '../../../../shared/ranges';
import { useAnswer } from '../../../../shared/use-answer';
import { MAX_ROWS, type Places } from '../../../../statistics/page-answer';
import { type Draft, isRelative, type METRICS, ruleOf } from './drafts';

/** The days that are over whose hours or days are looked at. */
export const USUAL_DAYS = { hour: 7, day: 28 } as const;

/** What hours or days had, so that a threshold can be chosen. */
export interface Usual {
  median: number;
  most: number;
}

/** Undefined until it is known, of a draft that is not whole, and where nothing was counted. */
export function useUsual(draft: Draft, places: Places, today: string): Usual | undefined {
  const asked = useTyped(JSON.stringify(usualQuery(draft, today) ?? null));
  const body = JSON.parse(asked) as object | null;
  const { data, isOther, failure } = useAnswer<QueryAnswer>(
    body ? { url: places.query, headers: places.headers, body } : undefined,
  );
  if (!body || !data || isOther || failure || isIncomplete(data)) return undefined;
  return usualOf(data.data.map((row) => row[draft.metric as (typeof METRICS)[number]] ?? 0));
}

export function usualQuery(draft: Draft, today: string) {
  const { metric, condition, within, filter } = draft;
  if (condition === 'silent' || isRelative(draft) || filter?.text === '') return undefined;
  return {
    metrics: [metric],
    dimensions: [within],
    filters: ruleOf(draft).filters,
    range: [plusDays(today, -USUAL_DAYS[within]), plusDays(today, -1)],
    per_page: MAX_ROWS,
  };
}

export function usualOf(counts: readonly number[]): Usual | undefined {
  const ordered = [...counts].sort((one, other) => one - other);
  const most = ordered.at(-1) ?? 0;
  return most === 0 ? undefined : { median: ordered[Math.floor((ordered.length - 1) / 2)]!, most };
}
