import { bytesOfQuery, ROWS_OVER_LIMIT } from '../../ground/memory/memory-limits';
import { InvalidFields } from '../../ground/errors';
import { PeakMemory } from './peak-memory';

interface Rows {
  readonly bytes: number;
  /** Merges further rows. Returns false if that is impossible. */
  close(): boolean;
}

export interface RowLimits {
  readonly bytesOfOne: number;
  readonly bytesTogether: number;
}

/** One query may use half of the memory of its request. */
const ROWS_OF_QUERY: RowLimits = {
  bytesOfOne: bytesOfQuery('rows') / 2,
  bytesTogether: bytesOfQuery('rows'),
};

/** With all metrics and three dimensions, and room to grow. */
const MAX_BYTES_PER_ROW = 400;

/** Limits the memory of the rows of a request's queries. */
export class RowMemory {
  private readonly all: Rows[] = [];

  constructor(
    private readonly limits = ROWS_OF_QUERY,
    private readonly memory = new PeakMemory(),
  ) {}

  /** This number of rows of one query fits, with those of its compared range and of all visitors. */
  get maxRows(): number {
    return Math.floor(this.limits.bytesOfOne / MAX_BYTES_PER_ROW);
  }

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
