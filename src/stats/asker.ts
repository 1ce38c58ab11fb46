import type { Queryable } from '../database/rows';

/** A condition over the row of a website, which it calls `website`. */
export interface SeenIf {
  readonly sql: string;
  readonly parameters: readonly number[];
}

/** On whose behalf hits are asked about. It is plain data. */
export interface Asker {
  /** Holds at the moment of an answer, or there is none. */
  readonly seenIf: SeenIf;
  readonly isOwner: boolean;
  /** Set if the moment of an answer must not reveal hits that are left out. */
  readonly hidesWaiting: boolean;
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
