import { decimalOf } from '../../../storage/events/amount';

/*
 * Values are integers of 1/10,000 with up to 19 digits, which a number does not hold exactly. Each of them, and each sum,
 * is two numbers: the last digits, and those before them. The first ones of 900 million of the largest values fit.
 */
const LOW_DIGITS = 12;
const UNITS = 10 ** LOW_DIGITS;
const MAX_LOW = 1e15;

interface Amount {
  high: number;
  low: number;
}

/** What stands for the currencies of a row: none, one by its code and 1, or several. */
const NO_CURRENCY = 0;
const SEVERAL = -1;

export function isOfSeveralCurrencies(currency: number): boolean {
  return currency === SEVERAL;
}

/** The currencies of a row after an event with one more. */
export function withCurrency(currencies: number, code: number): number {
  return currencies === NO_CURRENCY || currencies === code + 1 ? code + 1 : SEVERAL;
}

/** Undefined where the text is no integer. */
export function amountOf(text: string): Amount | undefined {
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

export function decimalSum(high: number, low: number): string {
  return decimalOf(String(BigInt(high) * BigInt(UNITS) + BigInt(low)));
}

/** More than zero where the first sum is larger. Nothing is lost where they are near one another. */
export function compareSums(high: number, low: number, otherHigh: number, otherLow: number): number {
  return (high - otherHigh) * UNITS + (low - otherLow);
}
