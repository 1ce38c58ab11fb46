/** Larger than any number of a pair, so that both make one safe integer. */
const RADIX = 2 ** 26;
/** What a map takes for a pair. */
const BYTES_PER_PAIR = 60;
const MAX_TABLE = 2 ** 18;

/** Numbers pairs of numbers in the order in which they come: small ones by a table, others by a map. */
export class PairNumbers {
  size = 0;
  private rows = 0;
  private columns = 0;
  /** The numbers of pairs, from one; zero where a pair did not come yet. */
  private table = new Uint32Array(0);
  private readonly map = new Map<number, number>();

  get bytes(): number {
    return this.table.byteLength + BYTES_PER_PAIR * this.map.size;
  }

  numberOf(one: number, other: number): number {
    if ((one >= this.rows || other >= this.columns) && !this.makeRoom(one, other))
      return this.numberInMap(one, other);
    const place = one * this.columns + other;
    return (this.table[place] ||= ++this.size) - 1;
  }

  private numberInMap(one: number, other: number): number {
    const pair = one * RADIX + other;
    let number = this.map.get(pair);
    if (number === undefined) this.map.set(pair, (number = this.size++));
    return number;
  }

  /** Pairs that are in the map stay there: the table never grows so far that it holds them. */
  private makeRoom(one: number, other: number): boolean {
    if (this.map.size > 0) return false;
    const [rows, columns] = [sizeFor(one, this.rows), sizeFor(other, this.columns)];
    if (rows * columns > MAX_TABLE) return false;
    const table = new Uint32Array(rows * columns);
    for (let row = 0; row < this.rows; row++)
      table.set(this.table.subarray(row * this.columns, (row + 1) * this.columns), row * columns);
    [this.rows, this.columns, this.table] = [rows, columns, table];
    return true;
  }
}

function sizeFor(number: number, size: number): number {
  return number < size ? size : 2 ** Math.ceil(Math.log2(number + 1));
}
