import type { Queryable } from '../database/rows';

/** A condition over the row of a website, which it calls `website`. */
export interface SeenIf {
  readonly sql: string;
  readonly parameters: readonly number[];
}

export async function isSeen(
  reader: Queryable,
  websiteId: number,
  { sql, parameters }: SeenIf,
): Promise<boolean> {
  const rows = await reader.query<unknown[]>(
    `SELECT 1 FROM websites website WHERE website.id = ? AND ${sql}`,
    [websiteId, ...parameters],
  );
  return rows.length > 0;
}
