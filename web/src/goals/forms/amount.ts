/** A typed amount as the service reads it: a comma before one or two last digits separates decimals. */
export const amountIn = (text: string) => text.replace(/,(?=\d{1,2}$)/, '.');

/** Tells whether a separator in front of three digits may mean thousands or decimals. */
export const isUnclear = (amount: string) => /[.,]\d{3}(?!\d)/.test(amount);
