import { firstInOrder } from '../answer/partial-sort';

const LEAST_ROWS = 64;

/** Counts by row and column. Rows are added on demand. */
export class CountTable {
  rows = 0;
  private counts = new Uint32Array(0);

  constructor(readonly columns: number) {}

  get bytes(): number {
    return this.counts.byteLength;
  }

  add(row: number, column: number, count = 1): void {
    if (row >= this.rows) this.enlarge(row + 1);
    this.counts[row * this.columns + column]! += count;
  }

  /** Each row with a count, and its counts. */
  entries(): [row: number, counts: number[]][] {
    const rows = Array.from({ length: this.rows }, (_, row): [number, number[]] => [
      row,
      Array.from({ length: this.columns }, (_, column) => this.of(row, column)),
    ]);
    return rows.filter(([, counts]) => counts.some((count) => count > 0));
  }

  of(row: number, column: number): number {
    return row < this.rows ? this.counts[row * this.columns + column]! : 0;
  }

  /** The rows with a count in a column. */
  counted(column: number): Uint32Array {
    const rows = new Uint32Array(this.rows);
    let size = 0;
    for (let row = 0; row < this.rows; row++) if (this.of(row, column) > 0) rows[size++] = row;
    return rows.subarray(0, size);
  }

  /** The rows with the largest counts of a column, in order. */
  largest(
    column: number,
    size: number,
    compareTies: (one: number, other: number) => number,
    rows = this.counted(column),
  ): Uint32Array {
    const weightOf = (row: number) => this.of(row, column);
    const compare = (one: number, other: number) =>
      weightOf(other) - weightOf(one) || compareTies(one, other);
    return firstInOrder(rows, 0, size, compare, weightOf);
  }

  private enlarge(needed: number): void {
    this.rows = Math.max(LEAST_ROWS, needed, Math.ceil(1.5 * this.rows));
    const larger = new Uint32Array(this.rows * this.columns);
    larger.set(this.counts);
    this.counts = larger;
  }
}
