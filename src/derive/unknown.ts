/** The value of what can't be told. */
export const UNKNOWN = '(unknown)';
