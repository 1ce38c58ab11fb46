import type { Question, Range } from './question';

/** Whether each of the ranges that are asked for has both of two days, or none of them. */
export type AreAskedAlike = (day: number, other: number) => boolean;

export function hasDay({ days: { from, to } }: Range, day: number): boolean {
  return day >= from && day <= to;
}

export function areAskedAlike(questions: Pick<Question, 'range' | 'previous'>[]): AreAskedAlike {
  const ranges = questions.flatMap(({ range, previous }) => (previous ? [range, previous] : [range]));
  return (day, other) => ranges.every((range) => hasDay(range, day) === hasDay(range, other));
}
