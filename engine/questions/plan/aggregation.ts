import type { CountedMetric } from './metrics';

/**
 * A statement that counts rows of hits. Its result has a row for each group: `value_0`, … are the values of the
 * dimensions, for a series a day, the first moment of an hour, or the second at which an hour of the day begins; then
 * each metric under its name, and `first_currency` and `last_currency` beside values. `{days of NAME}` stands for a
 * condition that selects the days, where `NAME` is an alias of `hits`.
 */
export interface Aggregation {
  readonly sql: string;
  readonly parameters: unknown[];
  readonly metrics: readonly CountedMetric[];
}

/** The statements that count a query over rows of hits. */
export interface Statements {
  readonly range: readonly Aggregation[];
  /** Over the compared range. */
  readonly previous: readonly Aggregation[] | undefined;
}
