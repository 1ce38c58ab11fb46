import { InvalidFields } from '../../common/problem';

const MIB = 1024 * 1024;
/** Of each thread that answers. */
const LIMITS = { bytesOfOne: 32 * MIB, bytesTogether: 64 * MIB };
/** Where further rows are taken together, some come until the next check. */
const OVER_LIMIT = 1.25;

interface Rows {
  readonly bytes: number;
  /** Takes further rows together; false where it cannot. */
  close(): boolean;
}

/** Bounds what the rows of the questions of one request take while they are counted. */
export class RowMemory {
  private readonly all: Rows[] = [];

  constructor(
    private readonly limits = LIMITS,
    /** Whether further rows may be taken together. */
    private readonly merges = true,
  ) {}

  add(rows: Rows): void {
    this.all.push(rows);
  }

  check(rows: Rows): void {
    const { bytesOfOne, bytesTogether } = this.limits;
    if (rows.bytes > bytesOfOne && !(this.merges && rows.close())) throw new TooManyRows();
    const bytes = this.all.reduce((sum, one) => sum + one.bytes, 0);
    if (bytes <= bytesTogether) return;
    for (const one of this.all) one.close();
    if (!this.merges || bytes > OVER_LIMIT * bytesTogether) throw new TooManyRows();
  }
}

class TooManyRows extends InvalidFields {
  constructor() {
    super({
      dimensions: ['have too many rows; ask fewer questions at once, for fewer dimensions, or filter'],
    });
  }
}
