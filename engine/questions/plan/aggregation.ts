import type { TextTest } from '../filter-operators';
import type { CountedMetric } from './metrics';

/**
 * Stands for the values of an expression that pass a test of folded texts. Databases fold texts in other ways, so the
 * store reads the values, as `value`, and tests them.
 */
export interface TestedValues {
  readonly test: TextTest;
  readonly values: readonly (string | null)[];
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * A statement that counts rows of hits. Its result has a row for each group: `value_0`, … are the values of the
 * dimensions, for a series a day, the first moment of an hour, or the second at which an hour of the day begins; then
 * each metric under its name, and `first_currency` and `last_currency` beside values. `{days of NAME}` stands for a
 * condition that selects the days, where `NAME` is an alias of `hits`.
 */
export interface Aggregation {
  readonly sql: string;
  readonly parameters: readonly (string | number | TestedValues)[];
  readonly metrics: readonly CountedMetric[];
}

/** The statements that count a query over rows of hits. */
export interface Statements {
  readonly range: readonly Aggregation[];
  /** Over the compared range. */
  readonly previous: readonly Aggregation[] | undefined;
}
