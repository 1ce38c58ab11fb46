import { NumberList } from '../../common/lists/number-list';
import { VISITOR_BYTES } from '../../common/visitor-bytes';
import { CodeList, unpacked } from '../encoding/code-list';
import type { Hit } from '../hit';
import { type ColumnName, COLUMN_NAMES, COLUMNS, COLUMNS_OF_HITS, COLUMNS_OF_VISITORS } from '../hit-columns';
import type { DecodedTexts } from '../segments/part-texts';
import { NOT_SET } from '../encoding/text-codes';
import type { HitColumns } from './batch';

/** The texts of a column, in the order of their first hits. */
class LocalTexts {
  readonly texts: string[] = [];
  private readonly codes = new Map<string, number>();
  /** A hit often has the same text as the hit before it. */
  private last: { text: string | null; code: number } = { text: null, code: NOT_SET };

  codeOf(text: string | null): number {
    if (text !== this.last.text) this.last = { text, code: text === null ? NOT_SET : this.known(text) };
    return this.last.code;
  }

  private known(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const code = this.texts.push(text);
    this.codes.set(text, code);
    return code;
  }
}

interface VisitorRow {
  row: number;
  /** The text codes of the visitor columns. */
  codes: readonly number[];
}

/** Builds columns from hits, or from other columns, in the order in which they are added. */
export class BatchBuilder {
  private readonly at = new NumberList();
  private readonly rowOf = new NumberList();
  private readonly rows: { visitor: string; codes: readonly number[] }[] = [];
  /** The last row of each visitor. A visitor whose hits differ in a visitor column has several rows. */
  private readonly lastOf = new Map<string, VisitorRow>();
  private readonly others = new Map<string, number>();
  private readonly texts = new Map(COLUMN_NAMES.map((name) => [name, new LocalTexts()]));
  private readonly codes = new Map(COLUMNS_OF_HITS.map((name) => [name, new CodeList()]));

  add(hits: readonly Hit[]): void {
    const columns = COLUMNS_OF_HITS.map((name) => ({
      value: COLUMNS[name].value,
      texts: this.texts.get(name)!,
      codes: this.codes.get(name)!,
    }));
    const ofVisitor = COLUMNS_OF_VISITORS.map((name) => ({
      value: COLUMNS[name].value,
      texts: this.texts.get(name)!,
    }));
    for (const hit of hits) {
      const place = this.at.size;
      this.at.push(hit.at);
      for (const { value, texts, codes } of columns) {
        const code = texts.codeOf(value(hit));
        if (code !== NOT_SET) codes.put(place, code);
      }
      const own = ofVisitor.map(({ value, texts }) => texts.codeOf(value(hit)));
      this.rowOf.push(this.rowFor(hit.visitor, own));
    }
  }

  /** The batch must still have its hashes. */
  addColumns(batch: HitColumns): void {
    const first = this.at.size;
    for (const moment of batch.moments()) this.at.push(moment);
    for (const name of COLUMNS_OF_HITS) {
      const column = batch.texts(name);
      if (!column) continue;
      const codeOf = this.codesOf(name, column.texts);
      const codes = this.codes.get(name)!;
      const rows = unpacked(column.rows, batch.hits);
      for (let hit = 0; hit < batch.hits; hit++)
        if (rows[hit] !== NOT_SET) codes.put(first + hit, codeOf[rows[hit]!]!);
    }
    const rowOf = this.visitorRowsOf(batch);
    for (let hit = 0; hit < batch.hits; hit++) this.rowOf.push(rowOf[batch.rowOf[hit]!]!);
  }

  columns(): HitColumns {
    const { rows, at, rowOf } = this;
    const hashes = Buffer.alloc(VISITOR_BYTES * rows.length);
    for (const [row, { visitor }] of rows.entries())
      if (visitor !== '') hashes.write(visitor, VISITOR_BYTES * row, VISITOR_BYTES, 'base64url');
    return {
      hits: at.size,
      rows: rows.length,
      rowOf: rowOf.values,
      isKnown: Uint8Array.from(rows, ({ visitor }) => Number(visitor !== '')),
      hashes,
      moments: () => at.values,
      texts: (name) => this.textsOf(name),
    };
  }

  private textsOf(name: ColumnName): DecodedTexts | undefined {
    const { texts } = this.texts.get(name)!;
    if (texts.length === 0) return undefined;
    const index = COLUMNS_OF_VISITORS.indexOf(name);
    if (index < 0) return { texts, rows: this.codes.get(name)!.packed(this.at.size) };
    return { texts, rows: listOf(this.rows.map((row) => row.codes[index]!)).packed(this.rows.length) };
  }

  private codesOf(name: ColumnName, texts: string[]): number[] {
    const own = this.texts.get(name)!;
    return [NOT_SET, ...texts.map((text) => own.codeOf(text))];
  }

  private visitorRowsOf(batch: HitColumns): number[] {
    const columns = COLUMNS_OF_VISITORS.map((name) => {
      const column = batch.texts(name);
      return column && { codeOf: this.codesOf(name, column.texts), rows: unpacked(column.rows, batch.rows) };
    });
    return Array.from({ length: batch.rows }, (_, row) => {
      const begin = VISITOR_BYTES * row;
      const isKnown = batch.isKnown[row] === 1;
      const visitor = isKnown ? batch.hashes!.toString('base64url', begin, begin + VISITOR_BYTES) : '';
      return this.rowFor(
        visitor,
        columns.map((column) => (column ? column.codeOf[column.rows[row]!]! : NOT_SET)),
      );
    });
  }

  private rowFor(visitor: string, codes: readonly number[]): number {
    if (visitor === '') return this.rows.push({ visitor, codes }) - 1;
    const last = this.lastOf.get(visitor);
    if (last?.codes.every((code, index) => code === codes[index])) return last.row;
    const key = `${visitor} ${codes.join()}`;
    const known = last && this.others.get(key);
    const row = known ?? this.rows.push({ visitor, codes }) - 1;
    if (last) this.others.set(key, row).set(`${visitor} ${last.codes.join()}`, last.row);
    this.lastOf.set(visitor, { row, codes });
    return row;
  }
}

function listOf(codes: number[]): CodeList {
  const list = new CodeList();
  for (const [place, code] of codes.entries()) if (code !== NOT_SET) list.put(place, code);
  return list;
}
