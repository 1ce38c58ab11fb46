/**
 * How large a round is: what `npm test` has time for, more where `LONG_ROUNDS` is set, or as much as the environment
 * variable of its name says.
 */
export function size(name: string, small: number, long: number): number {
  const { [name]: own, LONG_ROUNDS } = process.env;
  if (own) return Number(own);
  return LONG_ROUNDS ? long : small;
}
