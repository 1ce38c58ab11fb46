/** The value where none is known. */
export const UNKNOWN = '(unknown)';
