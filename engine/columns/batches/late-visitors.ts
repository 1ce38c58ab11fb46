import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Queryable } from '../../database/rows';
import { visitorName } from '../segments/hits-in-columns';
import { VisitorNumbers } from '../encoding/visitor-numbers';
import type { Batch } from './batch';
import { readHashesOfDay, type SealingKey } from '../ordering/day-visitors';

/** The visitor is not in the columns of the day. */
const NONE = -1;

/** Finds the visitors of late hits in the columns of their day. */
export class LateVisitors {
  private readonly late = new VisitorNumbers();
  private size = 0;
  private numbers: Int32Array = new Int32Array(0);

  add({ rows, isKnown, hashes }: Pick<Batch, 'rows' | 'isKnown' | 'hashes'>): void {
    if (!hashes) return;
    for (let row = 0; row < rows; row++)
      if (isKnown[row] === 1 && this.late.ofBytes(hashes, VISITOR_BYTES * row, this.size + 1) > this.size)
        this.size++;
  }

  async find(reader: Queryable, day: SealingKey): Promise<void> {
    this.numbers = await findNumbersInDay(reader, day, this.size, this.late);
  }

  /** The hashes of a batch. A visitor in the columns has a name instead. */
  namesOf({ rows, isKnown, hashes }: Pick<Batch, 'rows' | 'isKnown' | 'hashes'>): Buffer | undefined {
    if (!hashes) return undefined;
    const names = Buffer.from(hashes);
    for (let row = 0; row < rows; row++) {
      const late = isKnown[row] === 1 ? this.late.find(hashes, VISITOR_BYTES * row) : 0;
      const number = late === 0 ? NONE : this.numbers[late - 1]!;
      if (number !== NONE) visitorName(number).copy(names, VISITOR_BYTES * row);
    }
    return names;
  }
}

/** The number of each visitor in the columns of a day; -1 if the visitor is not in them. */
export async function findNumbersInDay(
  reader: Queryable,
  day: SealingKey,
  visitors: number,
  late: Pick<VisitorNumbers, 'find'>,
  check: () => void = () => undefined,
): Promise<Int32Array> {
  const numbers = new Int32Array(visitors).fill(NONE);
  let first = 0;
  for await (const hashes of readHashesOfDay(reader, day)) {
    for (let begin = 0; begin < hashes.length; begin += VISITOR_BYTES) {
      const own = late.find(hashes, begin);
      if (own !== 0) numbers[own - 1] = first + begin / VISITOR_BYTES;
    }
    first += hashes.length / VISITOR_BYTES;
    check();
    await yieldIfNeeded();
  }
  return numbers;
}
