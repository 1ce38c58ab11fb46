import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import type { Codes } from '../../hits/codes/code-list';
import type { ColumnName } from '../../hits/hit-columns';
import type { DecodedTexts } from '../segments/part-texts';
import type { HitColumns } from './batch';

/** Written after the place in a name, so that the name differs from those of visitors in columns. */
const OF_FORGOTTEN = 0xffffffff;

/**
 * Columns with several readers. Each column is decoded once. A visitor whose hash is forgotten gets a name that is
 * unique on the day, so that partitions do not split the visitor.
 */
export class DecodedOnce implements HitColumns {
  readonly hits: number;
  readonly rows: number;
  readonly rowOf: Codes;
  readonly isKnown: Codes;
  readonly hashes: Buffer;
  readonly isDirect: Codes | undefined;
  private known: Uint32Array | undefined;
  private readonly columns = new Map<ColumnName, DecodedTexts | undefined>();

  constructor(
    private readonly of: HitColumns,
    /** The place of the first hit in the day. */
    first: number,
  ) {
    ({
      hits: this.hits,
      rows: this.rows,
      rowOf: this.rowOf,
      isKnown: this.isKnown,
      isDirect: this.isDirect,
    } = of);
    this.hashes = of.hashes ?? namesOf(of, first);
  }

  moments(): Uint32Array {
    return (this.known ??= this.of.moments());
  }

  texts(name: ColumnName): DecodedTexts | undefined {
    if (!this.columns.has(name)) this.columns.set(name, this.of.texts(name));
    return this.columns.get(name);
  }
}

/** Names by the place of the first hit of each visitor row. */
function namesOf({ hits, rows, rowOf }: HitColumns, first: number): Buffer {
  const names = Buffer.alloc(VISITOR_BYTES * rows);
  for (let hit = hits - 1; hit >= 0; hit--) {
    const begin = VISITOR_BYTES * rowOf[hit]!;
    names.writeUInt32LE(first + hit, begin);
    names.writeUInt32LE(OF_FORGOTTEN, begin + 4);
  }
  return names;
}
