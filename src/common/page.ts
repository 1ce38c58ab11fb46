/** How many rows of a list come before a page of it. */
export function offsetOf({ page, per_page }: { page: number; per_page: number }): number {
  return (page - 1) * per_page;
}
