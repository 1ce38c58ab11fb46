const PLACES = 4;
const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d{1,4}))?$/;
const MAX_DIGITS = 15;
const CURRENCIES: ReadonlySet<unknown> = new Set(Intl.supportedValuesOf('currency'));

/** A code of ISO 4217. */
export function isCurrency(sent: unknown): sent is string {
  return CURRENCIES.has(sent);
}

/**
 * A decimal as the digits of an integer of 1/10,000. Undefined if it is not a decimal, or has too many digits or
 * places.
 */
export function amountOf(decimal: string): string | undefined {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(decimal) ?? [];
  if (whole === undefined || whole.length + fraction.length > MAX_DIGITS) return undefined;
  const digits = (whole + fraction.padEnd(PLACES, '0')).replace(/^0+(?=\d)/, '');
  return digits === '0' ? digits : `${sign}${digits}`;
}

/** Ten-thousandths as a decimal, without trailing zeros. */
export function decimalOf(amount: string): string {
  const sign = amount.startsWith('-') ? '-' : '';
  const digits = amount.slice(sign.length).padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -PLACES)}${fraction && `.${fraction}`}`;
}
