import type { QueryToSend, Warning } from '../../shared/api';
import { queryRange } from '../../shared/ranges';
import type { Name } from '../../shared/names';
import { asJson } from '../../statistics/filters/filters';
import type { Funnel, FunnelStep } from '../definitions';
import type { View } from '../view';

export interface StepAnswer {
  step: number;
  name: string | null;
  visitors: number;
  /** Of the visitors of the first step; null of nothing. */
  share: number | null;
  share_of_previous: number | null;
  drop_off: number;
  median_seconds: number | null;
  p90_seconds: number | null;
  next_pages: { page: string; visitors: number }[];
}

/** A step with its name in words, and its visitors in the range before. */
export interface Step extends StepAnswer {
  title: string;
  before: number | undefined;
}

export interface FunnelAnswer {
  data: {
    steps: StepAnswer[];
    breakdown?: { value: string | null; steps: number[] }[];
  };
  meta: { steps: FunnelStep[]; warnings?: Warning[] };
}

/** The names that a funnel is broken down by. */
export const BREAKDOWNS = [
  ...(['channel', 'referrer', 'campaign', 'country', 'language'] as const),
  ...(['device', 'browser', 'operating_system', 'entry_page'] as const),
] as const satisfies Name[];
export type Breakdown = (typeof BREAKDOWNS)[number];

type Asked = Pick<View, 'span' | 'filters' | 'reading'> & { funnel: Funnel };

export function funnelQuery(
  { span, filters, reading, funnel }: Asked,
  breakdown: Breakdown | undefined,
): QueryToSend {
  return sent(reading, { ...bodyOf(funnel, filters), range: queryRange(span), breakdown });
}

/** The funnel in an earlier range. */
export function earlierFunnelQuery({ filters, reading, funnel }: Asked, range: readonly string[]) {
  return sent(reading, { ...bodyOf(funnel, filters), range });
}

/** Its steps, rather than its name: a changed funnel is another request, and a deleted one is none. */
const bodyOf = ({ steps, order, within }: Funnel, filters: View['filters']) => ({
  ...{ steps, order, within },
  filters: filters.map(asJson),
});

function sent({ places }: View['reading'], body: object): QueryToSend {
  return { url: `${places.stats}/funnel`, headers: places.headers, body };
}
