import { InvalidFields } from '../../common/problem';

const MIB = 1024 * 1024;
/** Keys are in the heap of the thread, which ends where its heap is full. */
const LIMITS = { bytesOfOne: 64 * MIB, bytesTogether: 128 * MIB };

interface Rows {
  readonly bytes: number;
}

/** Bounds what the rows of the questions of one request take while they are counted. */
export class RowMemory {
  private readonly all: Rows[] = [];

  constructor(private readonly limits = LIMITS) {}

  add(rows: Rows): void {
    this.all.push(rows);
  }

  check({ bytes }: Rows): void {
    if (bytes > this.limits.bytesOfOne)
      throw new InvalidFields({
        dimensions: ['have too many rows for one question; ask for fewer dimensions, or filter'],
      });
    if (this.all.reduce((sum, rows) => sum + rows.bytes, 0) > this.limits.bytesTogether)
      throw new InvalidFields({
        dimensions: [
          'have too many rows in all questions together; ask fewer at once, for fewer dimensions, or filter',
        ],
      });
  }
}
