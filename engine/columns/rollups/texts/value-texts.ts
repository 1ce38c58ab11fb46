import type { Queryable, Transaction } from '../../../database/rows';
import { DIMENSIONS, type StatName } from '../../../hits/stat-names';
import { DamagedTexts, MAX_TEXT_ROW_BYTES, type TextRow, type Texts, textsIn } from './value-texts-format';

/** At most 4 MiB. */
const ROWS_AT_ONCE = 16;
const ROWS_OF_NAME = `SELECT first_code AS firstCode, size, data FROM value_texts
  WHERE website_id = ? AND generation = ? AND name = ?`;

type StoredRow = Pick<TextRow, 'firstCode' | 'size' | 'data'>;

/** The texts of a name from a code on, row by row, in statements of limited size. */
export async function* readTexts(
  reader: Queryable,
  websiteId: number,
  generation: number,
  name: StatName,
  fromCode = 0,
): AsyncGenerator<Texts> {
  for await (const row of readTextRows(reader, websiteId, generation, name, fromCode)) {
    const texts = textsIn(row);
    yield row.firstCode < fromCode ? behind(texts, fromCode) : texts;
  }
}

/** All texts of a name, except those of damaged or missing rows. */
export async function* readReadableTexts(
  reader: Queryable,
  websiteId: number,
  generation: number,
  name: StatName,
): AsyncGenerator<Texts> {
  const table = { websiteId, generation, name: DIMENSIONS[name].code };
  for (let next = 0, isLast = false; !isLast;) {
    const rows = await reader.query<StoredRow[]>(
      `${ROWS_OF_NAME} AND first_code >= ? ORDER BY first_code LIMIT ${ROWS_AT_ONCE}`,
      [websiteId, generation, table.name, next],
    );
    for (const row of rows) {
      const texts = textsUnlessDamaged({ ...table, ...row });
      if (texts) yield texts;
      next = row.firstCode + 1;
    }
    isLast = rows.length < ROWS_AT_ONCE;
  }
}

function textsUnlessDamaged(row: TextRow): Texts | undefined {
  try {
    return textsIn(row);
  } catch (error) {
    if (error instanceof DamagedTexts) return undefined;
    throw error;
  }
}

/** The rows with these texts. The first row may begin before them. */
export async function* readTextRows(
  reader: Queryable,
  websiteId: number,
  generation: number,
  name: StatName,
  fromCode: number,
): AsyncGenerator<TextRow> {
  const table = { websiteId, generation, name: DIMENSIONS[name].code };
  const key = [websiteId, generation, table.name];
  for (let next = fromCode, isLast = false; !isLast;) {
    const rows = await reader.query<StoredRow[]>(
      `${ROWS_OF_NAME} AND first_code + size > ? AND first_code >= COALESCE(
        (SELECT MAX(first_code) FROM value_texts WHERE website_id = ? AND generation = ? AND name = ? AND first_code <= ?), 0)
      ORDER BY first_code LIMIT ${ROWS_AT_ONCE}`,
      [...key, next, ...key, next],
    );
    for (const row of rows) {
      const isMissing = row.firstCode > next || (row.firstCode < next && next !== fromCode);
      if (isMissing) throw new DamagedTexts(table, next);
      next = row.firstCode + row.size;
      yield { ...table, ...row };
    }
    isLast = rows.length < ROWS_AT_ONCE;
  }
}

/** The generations other than the website's. */
export async function findUnnamedGenerations(reader: Queryable, websiteId: number): Promise<number[]> {
  const rows = await reader.query<{ generation: number | string }[]>(
    `SELECT DISTINCT generation FROM value_texts WHERE website_id = ?
    AND generation <> COALESCE((SELECT epoch FROM closed_days WHERE website_id = ?), 0)`,
    [websiteId, websiteId],
  );
  return rows.map(({ generation }) => Number(generation));
}

/** Removes some rows of a generation. Returns false if more may be left. */
export async function removeSomeTexts(
  manager: Transaction,
  websiteId: number,
  generation: number,
  maxBytes: number,
): Promise<boolean> {
  const most = Math.max(1, Math.floor(maxBytes / MAX_TEXT_ROW_BYTES));
  const rows = await manager.query<{ name: number; first_code: number }[]>(
    `SELECT name, first_code FROM value_texts WHERE website_id = ? AND generation = ? LIMIT ${most}`,
    [websiteId, generation],
  );
  for (const { name, first_code } of rows)
    await manager.query(
      'DELETE FROM value_texts WHERE website_id = ? AND generation = ? AND name = ? AND first_code = ?',
      [websiteId, generation, name, first_code],
    );
  return rows.length < most;
}

function behind({ firstCode, bytes, ends }: Texts, fromCode: number): Texts {
  const known = fromCode - firstCode;
  const begin = ends[known - 1]!;
  return {
    firstCode: fromCode,
    bytes: bytes.subarray(begin),
    ends: ends.subarray(known).map((end) => end - begin),
  };
}
