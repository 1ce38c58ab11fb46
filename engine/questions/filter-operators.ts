import { containing, foldCase } from '../ground/text-search';

/** The comparison of an operator. */
export type Test = 'is' | 'contains' | 'starts' | 'ends';
/** A comparison of case-folded texts. */
export type TextTest = Exclude<Test, 'is'>;

interface OperatorRule {
  test: Test;
  negated: boolean;
  /** Its form in the parameter `filter`. */
  symbol: string;
}

/** The operators of filters, by their names in the body of a query. */
export const OPERATORS = {
  is: { test: 'is', negated: false, symbol: '==' },
  is_not: { test: 'is', negated: true, symbol: '!=' },
  contains: { test: 'contains', negated: false, symbol: '=@' },
  contains_not: { test: 'contains', negated: true, symbol: '!@' },
  starts: { test: 'starts', negated: false, symbol: '=^' },
  ends: { test: 'ends', negated: false, symbol: '=$' },
} as const satisfies Record<string, OperatorRule>;

export type Operator = keyof typeof OPERATORS;

/** What texts are compared with parts. The time of a comparison grows with the length of both alone. */
export const COMPARISONS: Record<TextTest, (part: string) => (text: string) => boolean> = {
  contains: containing,
  starts: (part) => (text) => text.startsWith(part),
  ends: (part) => (text) => text.endsWith(part),
};

/** Tells whether a text passes the test with one of some values. Counts the units of both sides before each comparison. */
export function passingOne(
  test: TextTest,
  values: readonly (string | null)[],
  count: (units: number) => void,
): (text: string) => boolean {
  const parts = values.map((value) => foldCase(value ?? ''));
  const comparisons = parts.map((part) => ({ length: part.length, passes: COMPARISONS[test](part) }));
  return (text) => {
    const folded = foldCase(text);
    return comparisons.some(({ length, passes }) => {
      count(folded.length + length);
      return passes(folded);
    });
  };
}

/** Tells whether it may test for a missing value. */
export function mayBeUnset(operator: Operator): boolean {
  return OPERATORS[operator].test === 'is';
}
