import type { Codes } from '../code-list';
import type { ColumnName } from '../hit-columns';
import type { DecodedTexts } from '../part-texts';
import type { HitColumns } from './batch';

/** Columns for several readers: each is decoded for the first of them. */
export class DecodedOnce implements HitColumns {
  readonly hits: number;
  readonly rows: number;
  readonly rowOf: Codes;
  readonly isKnown: Codes;
  readonly hashes: Buffer | undefined;
  readonly isDirect: Codes | undefined;
  private known: Uint32Array | undefined;
  private readonly columns = new Map<ColumnName, DecodedTexts | undefined>();

  constructor(private readonly of: HitColumns) {
    ({
      hits: this.hits,
      rows: this.rows,
      rowOf: this.rowOf,
      isKnown: this.isKnown,
      hashes: this.hashes,
      isDirect: this.isDirect,
    } = of);
  }

  moments(): Uint32Array {
    return (this.known ??= this.of.moments());
  }

  texts(name: ColumnName): DecodedTexts | undefined {
    if (!this.columns.has(name)) this.columns.set(name, this.of.texts(name));
    return this.columns.get(name);
  }
}
