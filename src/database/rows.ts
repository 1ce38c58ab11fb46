import type { EntityManager } from 'typeorm';

/** SQLite binds 32,766 values at most in one statement. */
const MOST_BOUND = 30_000;

export function* inChunks<T>(items: T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Inserts many rows with few statements; `ending` says what happens where a key is there already. */
export async function insertRows(
  manager: EntityManager,
  table: string,
  columns: string[],
  rows: unknown[][],
  ending = '',
  beginning = 'INSERT INTO',
): Promise<void> {
  const row = `(${columns.map(() => '?').join(', ')})`;
  for (const chunk of inChunks(rows, Math.floor(MOST_BOUND / columns.length)))
    await manager.query(
      `${beginning} ${table} (${columns.join(', ')}) VALUES ${chunk.map(() => row).join(', ')} ${ending}`,
      chunk.flat(),
    );
}

/** Runs a statement and tells how many rows it changed. */
export async function changedBy(manager: EntityManager, sql: string, parameters: unknown[]): Promise<number> {
  const result = await manager.queryRunner!.query(sql, parameters, true);
  return result.affected ?? 0;
}
