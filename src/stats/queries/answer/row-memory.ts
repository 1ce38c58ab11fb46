import { bytesOfQuery, ROWS_OVER_LIMIT } from '../../../common/memory/pools';
import { InvalidFields } from '../../../common/problem';

interface Rows {
  readonly bytes: number;
  /** Takes further rows together; false where it cannot. */
  close(): boolean;
}

/** A query may have half of the memory for those of its request. */
const ROWS_OF_QUERY = { bytesOfOne: bytesOfQuery('rows') / 2, bytesTogether: bytesOfQuery('rows') };

/** Bounds what the rows of the queries of one request take while they are counted. */
export class RowMemory {
  private readonly all: Rows[] = [];
  private takenBytes = 0;

  constructor(
    private readonly limits = ROWS_OF_QUERY,
    /** Takes of the memory that queries share; throws where others leave too little. */
    private readonly take: (bytes: number) => void = () => undefined,
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
    if (bytes > this.takenBytes) this.take(bytes - this.takenBytes);
    this.takenBytes = Math.max(this.takenBytes, bytes);
  }
}

class TooManyRows extends InvalidFields {
  constructor() {
    super({
      dimensions: ['have too many rows; ask fewer queries at once, for fewer dimensions, or filter'],
    });
  }
}
