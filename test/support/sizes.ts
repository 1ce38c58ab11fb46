/** The size of a round: small for `npm test`, long with `LONG_ROUNDS`, or the environment variable of its name. */
export function size(name: string, small: number, long: number): number {
  const { [name]: own, LONG_ROUNDS } = process.env;
  if (!own) return LONG_ROUNDS ? long : small;
  if (!/^[1-9]\d*$/.test(own)) throw new Error(`${name} must be a positive whole number, not ${own}`);
  return Number(own);
}
