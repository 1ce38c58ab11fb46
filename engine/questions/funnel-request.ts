import type { Filter } from './parse/filter';
import type { QueryName } from './parse/names';
import type { QueryScope } from './plan/needed-values';
import type { WalkRequest } from './walk-request';

/** Tells whether the hit of a step is any later one, or the very next one. */
export const FUNNEL_ORDERS = ['open', 'strict'] as const;
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number];
/** The time in which all steps must be taken. */
export const FUNNEL_SPANS = ['visit', 'day'] as const;
export type FunnelWithin = (typeof FUNNEL_SPANS)[number];

/** A funnel for a thread. It is plain data. */
export interface FunnelRequest extends WalkRequest {
  readonly steps: Filter[];
  /** The field that the steps were sent in, or the name of the funnel. */
  readonly field: 'steps' | 'funnel';
  readonly order: FunnelOrder;
  readonly within: FunnelWithin;
  readonly breakdown: QueryName | undefined;
}

/** The counts of one step. */
export interface StepCounts {
  readonly visitors: number;
  /** In the compared range. */
  readonly previous: number | undefined;
  /** The seconds since the step before. Undefined if nobody reached the step, and for the first one. */
  readonly median: number | undefined;
  readonly p90: number | undefined;
  /** What visitors who did not reach the next step viewed next. */
  readonly nextPages: readonly { page: string; visitors: number }[];
}

export interface FunnelCounts {
  readonly steps: readonly StepCounts[];
  /** The visitors of each step, by the value at the first one. */
  readonly breakdown: readonly { value: string | null; steps: number[] }[];
}

/** The parts that decide which hits are read: pages are shown, and times belong to visits. */
export function scopeOfFunnel({ range, previous, filter, steps, breakdown }: FunnelRequest): QueryScope {
  return {
    range,
    previous,
    filter: { kind: 'all', of: filter ? [filter, ...steps] : steps },
    dimensions: breakdown ? ['page', breakdown] : ['page'],
    metrics: ['visits'],
  };
}
