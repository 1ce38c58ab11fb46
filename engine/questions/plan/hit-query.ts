import type { TextList } from '../../ground/lists/text-list';
import type { Span } from '../../hits/calendar';
import type { DayBlock } from '../../hits/calendar';
import type { Direction } from '../../ground/rows';
import type { DataVersion } from '../asker';
import type { ExcludedBy } from '../exclusions';
import type { Amount } from '../../hits/value-sums';
import type { Filter, GOAL } from '../parse/filter';
import type { Statements } from './aggregation';
import type { CountedMetric, Metric } from './metrics';
import type { QueryName } from '../parse/names';
import type { Asker } from '../asker';
import type { KnownDays } from '../viewers/detailed-days';

/** Days, and moments if the range begins or ends within a day. */
export interface Range {
  readonly days: Span;
  /** The counted days, if not all. */
  readonly only?: ReadonlySet<number>;
  /** In seconds since 1970, both included. */
  readonly moments?: Span | undefined;
}

export interface Ordering {
  by: { metric: Metric } | { dimension: number };
  direction: Direction;
}

/** A name that rows are grouped by. Goals are filters, so a hit may be in the rows of several. */
export type DimensionName = QueryName | typeof GOAL;

/** What each conversion of a goal is worth. */
export interface GoalValue extends Amount {
  readonly goal: string;
  readonly currency: string;
}

/** A goal that a query counts. */
export interface CountedGoal {
  readonly name: string;
  readonly filter: Filter;
  /** Undefined if the values of events count. */
  readonly value: GoalValue | undefined;
}

/** The number of the row of a goal, by its place in the list. Zero would be a missing value. */
export function codeOfGoal(index: number): number {
  return index + 1;
}

/** The goals of a query that counts conversions. */
export interface CountedGoals {
  /** The goals whose hits are conversions. Undefined if all selected hits are, because the filter names the goals. */
  readonly list: readonly CountedGoal[] | undefined;
  /** The value of the one goal that the filter names, if it has one. */
  readonly value: GoalValue | undefined;
  /** The filter without the conditions that name goals. It selects all visitors, whether they convert or not. */
  readonly rest: Filter | undefined;
}

/** A query for a thread. It is plain data. */
export interface HitQuery {
  readonly range: Range;
  /** The compared range. Series are paired by position. */
  readonly previous: Range | undefined;
  readonly filter: Filter | undefined;
  /** Set if the query counts conversions, or rows by goal. */
  readonly goals?: CountedGoals | undefined;
  readonly dimensions: DimensionName[];
  /** The counts that the rows need. */
  readonly metrics: CountedMetric[];
  /** A case-folded text that the value of the dimension or its label must contain. */
  readonly search?: string | undefined;
  /** Tells whether values in several currencies are added up. */
  readonly addsCurrencies?: boolean;
  /** Leaves out the row without a value. */
  readonly needsValue?: boolean;
  /** Shows buckets without a count. */
  readonly fill: boolean;
  /** Ties are ordered by the values of the dimensions. */
  readonly order: Ordering[];
  readonly skip: number;
  readonly take: number;
  /** Counts only the days whose details viewers see. */
  readonly ofShownDays?: true;
  /** Undefined if no statement counts what the query counts. */
  readonly statements?: Statements | undefined;
}

/** The days that a viewer sees, or a query for the visitors of each day at the same moment. */
export type ShownBy = { days: KnownDays } | { byDay: HitQuery };

export interface QueryRequest {
  readonly asker: Asker;
  readonly websiteId: number;
  /** The first day with statistics. */
  readonly statsFrom: number;
  readonly hitQueries: HitQuery[];
  /** Under which counts that are asked for again may be found. */
  readonly name?: string;
  /** Decides which days are shown. */
  readonly shownBy?: ShownBy | undefined;
}

export interface AnswerRows {
  /** The values of the rows for each dimension. */
  readonly dimensions: TextList[];
  readonly metrics: Float64Array[];
  /** The counts of the compared range, if there is one. */
  readonly previous: Float64Array[];
}

export interface Answer {
  readonly rows: AnswerRows;
  /** The total number of rows. */
  readonly total: number;
  /** Sums of all rows. */
  readonly sums: number[];
  readonly previousSums: number[];
  /** Tells whether rows were merged. */
  readonly isMerged: boolean;
}

export interface QueryResult {
  readonly answers: Answer[];
  /** Set if it was asked, with the blocks that begin on these days. */
  readonly byDay?: Answer | undefined;
  readonly blocks?: readonly DayBlock[];
  readonly version: DataVersion;
  readonly asOf: Date;
  /** The exclusions that concern the days, for owners. */
  readonly excluded: ExcludedBy[];
  /** The first day with all of its hits. */
  readonly availableFrom: number;
  /** The first day of the ranges with hits; infinite if none has. */
  readonly firstDay: number;
  /** Tells whether values of a name were merged. */
  readonly isMerged: boolean;
  /** Tells whether the thread has cached all counts of settled days. */
  readonly isCached: boolean;
  /** The days with visitors who count several times because they were forgotten too early. */
  readonly forgotten: readonly number[];
}
