import type { Condition } from './parse/filter';
import type { QueryScope } from './plan/needed-values';
import type { WalkRequest } from './walk-request';

export type NodeKind = 'page' | 'event';

/** A page view or an event, at which journeys begin, or end if they are followed backwards. */
export interface JourneyStart {
  readonly kind: NodeKind;
  readonly value: string;
}

/** A journey for a thread. It is plain data. */
export interface JourneyRequest extends WalkRequest {
  readonly from: JourneyStart | 'entry';
  readonly isBackwards: boolean;
  readonly steps: number;
}

export interface JourneyNode {
  kind: NodeKind;
  value: string;
  visits: number;
}

/** Further values of a step are counted together. */
export const NODES_OF_STEP = 10;

export interface JourneyStep {
  /** The most frequent values. */
  nodes: JourneyNode[];
  others: { values: number; visits: number };
  /** The visits of the step before that have no further one. */
  ended: number;
}

export interface JourneyLink {
  /** It leads to this step, from the step before. */
  step: number;
  from: number | 'others' | 'start';
  to: number | 'others' | 'ended';
  visits: number;
}

export interface JourneyCounts {
  readonly visits: number;
  readonly steps: readonly JourneyStep[];
  readonly links: readonly JourneyLink[];
}

/** The condition on the hit at which journeys begin. */
export function conditionOf({ kind, value }: JourneyStart): Condition {
  return { kind: 'test', name: kind, test: 'is', values: [value] };
}

/** The parts that decide which hits are read: pages and events are shown, and times belong to visits. */
export function scopeOfJourney({ range, previous, filter, from }: JourneyRequest): QueryScope {
  const conditions = [...(filter ? [filter] : []), ...(from === 'entry' ? [] : [conditionOf(from)])];
  return {
    range,
    previous,
    filter: { kind: 'all', of: conditions },
    dimensions: ['page', 'event'],
    metrics: ['visits'],
  };
}
