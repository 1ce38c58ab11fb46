/** What is counted: hits, visits, or visitors of a day. */
export type Counted = 'hits' | 'visits' | 'visitors';

/** SQL for a name that rows of `hits` are grouped and filtered by. `hit` is the alias of a row. */
export interface Dimension {
  /** The value under which a row counts. */
  valueOf(hit: string, counted: Counted): string;
  /** A query for the values that visitors have (`day`, `visitor`, `value`), if a visitor may have several. */
  readonly valuesOfVisitors?: string;
  /** Tells whether a row has one of some values. Null is none. It is never unknown, because it may be negated. */
  has(hit: string, values: readonly (string | null)[]): string;
}

/** A statement while it is written. */
export class Statement {
  readonly parameters: Record<string, unknown> = {};

  /** The placeholder of a value. */
  bind(value: unknown): string {
    const name = `value_${Object.keys(this.parameters).length}`;
    this.parameters[name] = value;
    return `:${name}`;
  }

  /** Tells whether an expression has one of some values. */
  isOneOf(expression: string, values: readonly (string | null)[]): string {
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
