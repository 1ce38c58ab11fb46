import { VISITOR_BYTES } from '../../common/visitor-bytes';
import type { Codes } from '../encoding/code-list';
import type { ColumnName } from '../hit-columns';
import type { DecodedTexts } from '../segments/part-texts';
import type { HitColumns } from './batch';

/** Behind the place in a name, so that it is not taken for that of a visitor in columns. */
const OF_FORGOTTEN = 0xffffffff;

/**
 * Columns for several readers: each is decoded for the first of them. Visitors whose hashes are forgotten have names
 * that nobody else of their day has, so that one whose hits are divided stays one.
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

/** By the place of the first hit of each visitor row. */
function namesOf({ hits, rows, rowOf }: HitColumns, first: number): Buffer {
  const names = Buffer.alloc(VISITOR_BYTES * rows);
  for (let hit = hits - 1; hit >= 0; hit--) {
    const begin = VISITOR_BYTES * rowOf[hit]!;
    names.writeUInt32LE(first + hit, begin);
    names.writeUInt32LE(OF_FORGOTTEN, begin + 4);
  }
  return names;
}
