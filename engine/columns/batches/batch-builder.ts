import { NumberList } from '../../ground/lists/number-list';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { CodeList, unpacked } from '../../hits/codes/code-list';
import type { Hit } from '../../hits/hit';
import { type ColumnName, COLUMNS, COLUMNS_OF_HITS, COLUMNS_OF_VISITORS } from '../../hits/hit-columns';
import type { DecodedTexts } from '../segments/part-texts';
import { NOT_SET } from '../../hits/codes/text-codes';
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

/** A column, by place: that of the hit, or the row of the visitor. */
class GrowingColumn {
  readonly texts = new LocalTexts();
  readonly codes = new CodeList();
  readonly valueIn: (hit: Hit) => string | null;

  constructor(readonly name: ColumnName) {
    this.valueIn = COLUMNS[name].value;
  }

  put(place: number, code: number): void {
    if (code !== NOT_SET) this.codes.put(place, code);
  }

  /** The own code of each code of another column. */
  codesFor(texts: string[]): number[] {
    return [NOT_SET, ...texts.map((text) => this.texts.codeOf(text))];
  }
}

/** Builds columns from hits, or from other columns, in the order in which they are added. */
export class BatchBuilder {
  private readonly at = new NumberList();
  private readonly rowOf = new NumberList();
  /** The visitor of each row. */
  private readonly visitors: string[] = [];
  /** The last row of each visitor. A visitor whose hits differ in a visitor column has several rows. */
  private readonly lastOf = new Map<string, number>();
  private readonly others = new Map<string, number>();
  private readonly ofHits = COLUMNS_OF_HITS.map((name) => new GrowingColumn(name));
  private readonly ofVisitors = COLUMNS_OF_VISITORS.map((name) => new GrowingColumn(name));
  /** The codes of the visitor columns in the hit or row that is being added. */
  private readonly codes = this.ofVisitors.map(() => NOT_SET);

  add(hits: readonly Hit[]): void {
    const { ofHits, ofVisitors, codes } = this;
    for (const hit of hits) {
      const place = this.at.size;
      this.at.push(hit.at);
      for (const column of ofHits) column.put(place, column.texts.codeOf(column.valueIn(hit)));
      for (const [index, { texts, valueIn }] of ofVisitors.entries())
        codes[index] = texts.codeOf(valueIn(hit));
      this.rowOf.push(this.rowFor(hit.visitor));
    }
  }

  /** The batch must still have its hashes. */
  addColumns(batch: HitColumns): void {
    const first = this.at.size;
    for (const moment of batch.moments()) this.at.push(moment);
    for (const own of this.ofHits) {
      const column = batch.texts(own.name);
      if (!column) continue;
      const codeOf = own.codesFor(column.texts);
      const rows = unpacked(column.rows, batch.hits);
      for (let hit = 0; hit < batch.hits; hit++) own.put(first + hit, codeOf[rows[hit]!]!);
    }
    const rowOf = this.visitorRowsOf(batch);
    for (let hit = 0; hit < batch.hits; hit++) this.rowOf.push(rowOf[batch.rowOf[hit]!]!);
  }

  columns(): HitColumns {
    const { visitors, at, rowOf } = this;
    const hashes = Buffer.alloc(VISITOR_BYTES * visitors.length);
    for (const [row, visitor] of visitors.entries())
      if (visitor !== '') hashes.write(visitor, VISITOR_BYTES * row, VISITOR_BYTES, 'base64url');
    return {
      hits: at.size,
      rows: visitors.length,
      rowOf: rowOf.values,
      isKnown: Uint8Array.from(visitors, (visitor) => Number(visitor !== '')),
      hashes,
      moments: () => at.values,
      texts: (name) => this.textsOf(name),
    };
  }

  private textsOf(name: ColumnName): DecodedTexts | undefined {
    const ofHits = this.ofHits.find((column) => column.name === name);
    const { texts, codes } = ofHits ?? this.ofVisitors.find((column) => column.name === name)!;
    const places = ofHits ? this.at.size : this.visitors.length;
    return texts.texts.length === 0 ? undefined : { texts: texts.texts, rows: codes.packed(places) };
  }

  private visitorRowsOf(batch: HitColumns): number[] {
    const columns = this.ofVisitors.map((own) => {
      const column = batch.texts(own.name);
      return column && { codeOf: own.codesFor(column.texts), rows: unpacked(column.rows, batch.rows) };
    });
    return Array.from({ length: batch.rows }, (_, row) => {
      const begin = VISITOR_BYTES * row;
      const isKnown = batch.isKnown[row] === 1;
      for (const [index, column] of columns.entries())
        this.codes[index] = column ? column.codeOf[column.rows[row]!]! : NOT_SET;
      return this.rowFor(isKnown ? batch.hashes!.toString('base64url', begin, begin + VISITOR_BYTES) : '');
    });
  }

  /** The row of a visitor with these codes in the visitor columns. */
  private rowFor(visitor: string): number {
    if (visitor === '') return this.addRow(visitor);
    const { codes, ofVisitors, others } = this;
    const last = this.lastOf.get(visitor);
    if (last !== undefined && ofVisitors.every((column, index) => column.codes.at(last) === codes[index]))
      return last;
    const key = last === undefined ? '' : `${visitor} ${codes.join()}`;
    const row = others.get(key) ?? this.addRow(visitor);
    if (last !== undefined) {
      const ofLast = ofVisitors.map((column) => column.codes.at(last));
      others.set(key, row).set(`${visitor} ${ofLast.join()}`, last);
    }
    this.lastOf.set(visitor, row);
    return row;
  }

  private addRow(visitor: string): number {
    const row = this.visitors.push(visitor) - 1;
    for (const [index, column] of this.ofVisitors.entries()) column.put(row, this.codes[index]!);
    return row;
  }
}
