import type { StoredValue } from '../../engine/database/connections/snapshot';

/** A transaction holds so much. */
const AT_ONCE = { rows: 2000, characters: 4 * 1024 * 1024 };

/** Rows in lists for one transaction each. */
export async function* inPiecesOfRows(rows: AsyncIterable<StoredValue[]>): AsyncGenerator<StoredValue[][]> {
  let [piece, characters]: [StoredValue[][], number] = [[], 0];
  for await (const row of rows) {
    piece.push(row);
    for (const value of row) characters += typeof value === 'number' || value === null ? 8 : value.length;
    if (piece.length < AT_ONCE.rows && characters < AT_ONCE.characters) continue;
    yield piece;
    [piece, characters] = [[], 0];
  }
  if (piece.length > 0) yield piece;
}
