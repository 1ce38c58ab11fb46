import { bytesOfQuery, ROWS_OVER_LIMIT } from '../../../common/memory/pools';
import { InvalidFields } from '../../../common/problem';
import { PeakMemory } from './peak-memory';

interface Rows {
  readonly bytes: number;
  /** Merges further rows. Returns false if that is impossible. */
  close(): boolean;
}

/** One query may use half of the memory of its request. */
const ROWS_OF_QUERY = { bytesOfOne: bytesOfQuery('rows') / 2, bytesTogether: bytesOfQuery('rows') };

/** Limits the memory of the rows of a request's queries. */
export class RowMemory {
  private readonly all: Rows[] = [];

  constructor(
    private readonly limits = ROWS_OF_QUERY,
    private readonly memory = new PeakMemory(),
  ) {}

  add(rows: Rows): void {
    this.all.push(rows);
  }

  check(rows: Rows): void {
    const { bytesOfOne, bytesTogether } = this.limits;
    if (rows.bytes > bytesOfOne && !rows.close()) throw new TooManyRows();
    const bytes = this.all.reduce((sum, one) => sum + one.bytes, 0);
    if (bytes > bytesTogether) {
      for (const one of this.all) one.close();
      if (bytes > ROWS_OVER_LIMIT * bytesTogether) throw new TooManyRows();
    }
    this.memory.reserve(bytes);
  }
}

class TooManyRows extends InvalidFields {
  constructor() {
    super({
      dimensions: ['have too many rows; send fewer queries or dimensions, or a filter'],
    });
  }
}
