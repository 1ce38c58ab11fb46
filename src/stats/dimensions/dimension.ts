import { passingOne } from '../../../engine/questions/filter-operators';
import type { Condition } from '../../../engine/questions/parse/filter';
import type { TestedValues } from '../../../engine/questions/plan/aggregation';

/** The values that a condition wants. Null is none. */
export type Wanted = Pick<Condition, 'test' | 'values'>;

/** What is counted: hits, visits, or visitors of a day. */
export type Counted = 'hits' | 'visits' | 'visitors';

/** SQL for a name that rows of `hits` are grouped and filtered by. `hit` is the alias of a row. */
export interface Dimension {
  /** The value under which a row counts. */
  valueOf(hit: string, counted: Counted): string;
  /** A query for the values that visitors have (`day`, `visitor`, `value`), if a visitor may have several. */
  readonly valuesOfVisitors?: string;
  /** Tells whether a row has a wanted value. It is never unknown, because it may be negated. */
  has(hit: string, wanted: Wanted): string;
}

/** Values to be read by a statement that is not written yet. `own` is the alias of its rows. */
export type UnreadValues = Pick<TestedValues, 'test' | 'values'> & { readonly expression: string };

/** A statement while it is written. */
export class Statement {
  readonly parameters: Record<string, unknown> = {};

  /** The placeholder of a value. */
  bind(value: unknown): string {
    const name = `value_${Object.keys(this.parameters).length}`;
    this.parameters[name] = value;
    return `:${name}`;
  }

  /** Tells whether an expression has a wanted value. */
  has(expression: (hit: string) => string, hit: string, { test, values }: Wanted): string {
    if (test === 'is') return this.isOneOf(expression(hit), values);
    const tested = { test, values, expression: expression('own') } satisfies UnreadValues;
    return `COALESCE(${expression(hit)} IN (${this.bind(tested)}), 0) = 1`;
  }

  private isOneOf(expression: string, values: readonly (string | null)[]): string {
    const texts = values.filter((value) => value !== null);
    const isText = `COALESCE(${expression} IN (${texts.map((text) => this.bind(text)).join(', ')}), 0) = 1`;
    const tests = [
      ...(texts.length > 0 ? [isText] : []),
      ...(texts.length < values.length ? [`${expression} IS NULL`] : []),
    ];
    return tests.length === 0 ? NEVER : `(${tests.join(' OR ')})`;
  }

  /** The visitors with a hit that passes a condition, as `day` and `visitor`. */
  visitorsWith(conditionOn: (hit: string) => string): string {
    return `(SELECT own.day, own.visitor FROM hits own WHERE ${daysOf('own')} AND ${conditionOn('own')})`;
  }
}

/** Tells whether a condition wants a value that is known before the database is asked. */
export function isWanted(value: string, { test, values }: Wanted): boolean {
  return test === 'is' ? values.includes(value) : passingOne(test, values, () => undefined)(value);
}

export const ALWAYS = '1 = 1';
export const NEVER = '1 = 0';

/** A condition for the rows of the days that are read. The store of the rows replaces it. */
export function daysOf(hit: string): string {
  return `{days of ${hit}}`;
}

/** The database cannot do what is asked, or not as the hits in memory do. */
export class NotInSql extends Error {
  override name = 'NotInSql';
}
