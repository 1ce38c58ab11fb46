import type { Asker } from './asker';
import type { ExcludedBy } from './exclusions';
import type { Filter } from './parse/filter';
import type { QueryScope } from './plan/needed-values';

/** A question that follows the hits of each visitor in their order. It is plain data. */
export interface WalkRequest extends Pick<QueryScope, 'range' | 'previous' | 'filter'> {
  readonly asker: Asker;
  readonly websiteId: number;
  /** The first day with statistics. */
  readonly statsFrom: number;
  /** What is seen: further hits are as if they were not there. */
  readonly seen: Filter | undefined;
}

/** The result of a walk over hits. */
export interface Walked<R> {
  readonly result: R;
  readonly asOf: Date;
  /** The exclusions that concern the days, for owners. */
  readonly excluded: ExcludedBy[];
  /** The first day with all of its hits. */
  readonly availableFrom: number;
  /** The first day of the ranges with hits; infinite if none has. */
  readonly firstDay: number;
  readonly isMerged: boolean;
  /** The days with visitors who count several times because they were forgotten too early. */
  readonly forgotten: readonly number[];
}
