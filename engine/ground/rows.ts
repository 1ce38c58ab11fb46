export const DIRECTIONS = ['desc', 'asc'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A page of a list, and the length of the whole list. */
export interface Rows<T> {
  rows: T[];
  total: number;
}

/** The number of rows before a page. */
export function offsetOf({ page, per_page }: { page: number; per_page: number }): number {
  return (page - 1) * per_page;
}
