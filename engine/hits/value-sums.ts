import { decimalOf } from './events/amount';

/*
 * Values are integers of 1/10,000 with up to 19 digits, which exceed a number. Each value and sum is two numbers: the
 * last digits, and the digits before them. Sums of 900 million of the largest values fit.
 */
const LOW_DIGITS = 12;
const UNITS = 10 ** LOW_DIGITS;
const MAX_LOW = 1e15;

export interface Amount {
  high: number;
  low: number;
}

/** The currencies of a row: none, one (its code plus 1), or several. */
const NO_CURRENCY = 0;
const SEVERAL = -1;

export function isOfSeveralCurrencies(currency: number): boolean {
  return currency === SEVERAL;
}

/** The currencies of a row after a further event. */
export function withCurrency(currencies: number, code: number): number {
  return currencies === NO_CURRENCY || currencies === code + 1 ? code + 1 : SEVERAL;
}

/** The currencies of a row, two of them for several. `texts` are those of the codes, the first for none. */
export function currenciesIn(currencies: number, texts: readonly (string | null)[]): (string | null)[] {
  if (currencies === NO_CURRENCY) return [];
  return currencies === SEVERAL ? texts.slice(0, 2) : [texts[currencies - 1]!];
}

/** Undefined if the text is not an integer. */
export function parseAmount(text: string): Amount | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = sign < 0 ? text.slice(1) : text;
  const [high, low] = [Number(digits.slice(0, -LOW_DIGITS)), Number(digits.slice(-LOW_DIGITS))];
  return Number.isInteger(high) && Number.isInteger(low) ? { high: sign * high, low: sign * low } : undefined;
}

/** Adds to the sums of one group. */
export function addAmount(
  highs: Float64Array,
  lows: Float64Array,
  group: number,
  { high, low }: Amount,
): void {
  highs[group]! += high;
  lows[group]! += low;
  if (Math.abs(lows[group]!) < MAX_LOW) return;
  const units = Math.trunc(lows[group]! / UNITS);
  highs[group]! += units;
  lows[group]! -= units * UNITS;
}

/** Sets the sum of one group to a multiple of an amount. */
export function setMultiple(
  highs: Float64Array,
  lows: Float64Array,
  group: number,
  times: number,
  { high, low }: Amount,
): void {
  const sum = BigInt(times) * (BigInt(high) * BigInt(UNITS) + BigInt(low));
  highs[group] = Number(sum / BigInt(UNITS));
  lows[group] = Number(sum % BigInt(UNITS));
}

export function decimalSum(high: number, low: number): string {
  return decimalOf(String(BigInt(high) * BigInt(UNITS) + BigInt(low)));
}

/** Positive if the first sum is larger. It is exact for close sums. */
export function compareSums(high: number, low: number, otherHigh: number, otherLow: number): number {
  return (high - otherHigh) * UNITS + (low - otherLow);
}
