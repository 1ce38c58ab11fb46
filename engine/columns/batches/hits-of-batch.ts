import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { unpacked } from '../../hits/codes/code-list';
import { type Hit, NO_HIT } from '../../hits/hit';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from '../../hits/hit-columns';
import { NOT_SET } from '../../hits/codes/text-codes';
import type { BatchKey, HitColumns } from './batch';

/** Hits of a day from a place on. */
type KeyedColumns = HitColumns & { readonly key: Pick<BatchKey, 'day' | 'firstHit'> };

/** A range of hits; `before` is excluded. */
interface BatchRange {
  from: number;
  before: number;
  /** Set if the hashes are not those of the batch. */
  hashes: Buffer | undefined;
}

/** The number of hits of a step. */
const HITS_AT_ONCE = 1000;

/** The hits of a range, with the values of some columns. */
export function* hitsOfBatch(
  batch: KeyedColumns,
  { from = 0, before = batch.hits, hashes = batch.hashes }: Partial<BatchRange> = {},
  names: readonly ColumnName[] = COLUMN_NAMES,
): Generator<Hit[]> {
  const visitorOf = visitorsOf(batch, hashes, names);
  const putOfHit = putter(batch, names, 'hit');
  const moments = batch.moments();
  for (let begin = Math.max(0, from); begin < before; begin += HITS_AT_ONCE) {
    const some: Hit[] = [];
    for (let hit = begin; hit < Math.min(before, begin + HITS_AT_ONCE); hit++) {
      const read = { ...visitorOf(batch.rowOf[hit]!), at: moments[hit]! };
      putOfHit(read, hit);
      some.push(read);
    }
    yield some;
  }
}

/** The values of each visitor row, decoded on demand. */
function visitorsOf(
  batch: KeyedColumns,
  hashes: Buffer | undefined,
  names: readonly ColumnName[],
): (row: number) => Hit {
  const put = putter(batch, names, 'visitor');
  const { day } = batch.key;
  const known: Hit[] = [];
  return (row) => {
    const before = known[row];
    if (before) return before;
    const hit = { ...NO_HIT, day, visitor: batch.isKnown[row] === 1 ? nameOf(batch.key, hashes, row) : '' };
    put(hit, row);
    return (known[row] = hit);
  };
}

/** The visitor's hash, or a name that is unique on the day. */
function nameOf({ firstHit }: KeyedColumns['key'], hashes: Buffer | undefined, row: number): string {
  const begin = VISITOR_BYTES * row;
  if (hashes) return hashes.toString('base64url', begin, begin + VISITOR_BYTES);
  const name = Buffer.alloc(VISITOR_BYTES);
  name.writeUInt32LE(firstHit, 0);
  name.writeUInt32LE(row, 4);
  return name.toString('base64url');
}

/** Sets the values of the hit columns, or of the visitor columns, at a place. */
function putter(batch: KeyedColumns, names: readonly ColumnName[], of: 'hit' | 'visitor') {
  const size = of === 'hit' ? batch.hits : batch.rows;
  const columns = names.flatMap((name) => {
    const column = COLUMNS[name].of === of && batch.texts(name);
    if (!column) return [];
    return [{ put: COLUMNS[name].put, texts: column.texts, rows: unpacked(column.rows, size) }];
  });
  return (hit: Hit, place: number): void => {
    for (const { put, texts, rows } of columns) {
      const code = rows[place]!;
      if (code !== NOT_SET) put(hit, texts[code - 1]!);
    }
  };
}
