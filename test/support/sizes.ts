/**
 * How large a round is: what `npm test` has time for, more where `LONG_ROUNDS` is set, or as much as the environment
 * variable of its name says.
 */
export function size(name: string, small: number, long: number): number {
  const { [name]: own, LONG_ROUNDS } = process.env;
  if (!own) return LONG_ROUNDS ? long : small;
  if (!/^[1-9]\d*$/.test(own)) throw new Error(`${name} must be a positive whole number, not ${own}`);
  return Number(own);
}
