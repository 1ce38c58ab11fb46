/** A page of a longer list, and how long the whole list is. */
export interface Rows<T> {
  rows: T[];
  total: number;
}

/** How many rows of a list come before a page of it. */
export function offsetOf({ page, per_page }: { page: number; per_page: number }): number {
  return (page - 1) * per_page;
}
