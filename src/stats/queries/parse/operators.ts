/** The comparison of an operator. */
export type Test = 'is' | 'contains' | 'starts' | 'ends';

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

/** The comparisons of case-folded texts. */
export const COMPARISONS: Record<Exclude<Test, 'is'>, (text: string, part: string) => boolean> = {
  contains: (text, part) => text.includes(part),
  starts: (text, part) => text.startsWith(part),
  ends: (text, part) => text.endsWith(part),
};

/** Whether it may test for a missing value. */
export function mayBeUnset(operator: Operator): boolean {
  return OPERATORS[operator].test === 'is';
}
