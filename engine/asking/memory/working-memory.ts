import { bytesOfPool, type PoolName } from '../../ground/memory/memory-limits';
import { type FieldErrors, InvalidFields, Overloaded, type Problem } from '../../ground/errors';

/** A slot for each thread, in shared memory. */
function slotsFor(threads: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads));
}

/**
 * One pool of memory shared by threads. Each thread counts its use in its own slot, so that it can be released if the
 * thread is ended.
 */
class SharedBudget {
  constructor(
    private readonly slots: Int32Array,
    private readonly slot: number,
    readonly maxBytes: number,
  ) {}

  /** False if too little is left. If two threads compete for the last of it, both may be refused. */
  take(bytes: number): boolean {
    // A slot would overflow.
    if (bytes > this.maxBytes) return false;
    Atomics.add(this.slots, this.slot, bytes);
    if (this.taken <= this.maxBytes) return true;
    this.giveBack(bytes);
    return false;
  }

  giveBack(bytes: number): void {
    Atomics.sub(this.slots, this.slot, bytes);
  }

  /** The use of all threads together. */
  private get taken(): number {
    return takenOf({ taken: this.slots });
  }
}

/** The memory that the threads of a lane have taken of a pool, and the slot of one thread. */
export interface ThreadMemory {
  readonly taken: Int32Array;
  readonly slot: number;
}

/** Memory is taken in blocks, because other threads are checked each time. */
const BLOCK_BYTES = 256 * 1024;

/** One for each thread. */
export function memoryOfThreads(threads: number): ThreadMemory[] {
  const taken = slotsFor(threads);
  return Array.from({ length: threads }, (_, slot) => ({ taken, slot }));
}

/** What the threads of a lane have taken together. */
export function takenOf({ taken }: Pick<ThreadMemory, 'taken'>): number {
  return taken.reduce((sum, _, slot) => sum + Atomics.load(taken, slot), 0);
}

/** Returns the memory of a thread that ended. */
export function giveBackOf({ taken, slot }: ThreadMemory): void {
  Atomics.store(taken, slot, 0);
}

/** The memory that a query takes of a pool: texts that are not cached, days, rows, and filters. */
export class WorkingMemory {
  private readonly pool: SharedBudget;
  private takenBytes = 0;
  private usedBytes = 0;
  private textBytes = 0;
  private shortage: Problem | undefined;

  constructor({ taken, slot } = memoryOfThreads(1)[0]!, pool: PoolName = 'queries') {
    this.pool = new SharedBudget(taken, slot, bytesOfPool(pool));
  }

  /** Tells whether texts were merged because other threads use the memory. Such texts must not be cached. */
  get isShort(): boolean {
    return this.shortage !== undefined;
  }

  /** Returns everything except the memory of texts. */
  keepTexts(): void {
    this.giveBackBut(this.textBytes);
  }

  end(): void {
    this.giveBackBut(0);
    [this.textBytes, this.shortage] = [0, undefined];
  }

  /** For texts. They are added in the middle of work, which ends at the next check. */
  readonly takeForTexts = (bytes: number): boolean => {
    const isTaken = this.takes(bytes);
    if (isTaken) this.textBytes += bytes;
    else this.shortage ??= this.shortageOf(bytes);
    return isTaken;
  };

  /** Between two pieces of work. */
  readonly take = (bytes: number): void => {
    if (!this.takes(bytes)) throw this.shortageOf(bytes);
  };

  check(): void {
    if (this.shortage) throw this.shortage;
  }

  private shortageOf(bytes: number): Problem {
    return this.usedBytes + bytes > this.pool.maxBytes ? new QueryTooLarge() : new Overloaded();
  }

  private giveBackBut(bytes: number): void {
    this.pool.giveBack(this.takenBytes - bytes);
    [this.takenBytes, this.usedBytes] = [bytes, bytes];
  }

  private takes(bytes: number): boolean {
    const missing = this.usedBytes + bytes - this.takenBytes;
    if (missing > 0 && !this.enlarge(missing)) return false;
    this.usedBytes += bytes;
    return true;
  }

  private enlarge(bytes: number): boolean {
    for (const size of [Math.max(bytes, BLOCK_BYTES), bytes])
      if (this.pool.take(size)) {
        this.takenBytes += size;
        return true;
      }
    return false;
  }
}

const NEEDS_MORE = 'needs more memory than there is; send fewer queries, conditions and names, or fewer days';

/** It would need more memory than there is, however few other queries run. */
export class QueryTooLarge extends InvalidFields {
  constructor(errors: FieldErrors = { range: [NEEDS_MORE] }) {
    super(errors);
  }
}

const MAX_TEXTS_MIB = 16;

/** Limits the texts in the rows of a request. The memory for distinct texts does not, because rows repeat them. */
export class AnswerTexts {
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_TEXTS_MIB * 1024 * 1024) {}

  add(texts: readonly (string | null)[]): void {
    for (const text of texts) this.bytes += bytesAsJson(text ?? '');
    if (this.bytes > this.maxBytes)
      throw new QueryTooLarge({
        per_page: [
          `the texts of the rows have more than ${MAX_TEXTS_MIB} MiB; ask for fewer rows, dimensions or queries`,
        ],
      });
  }
}

/** JSON writes a control character in six bytes. */
function bytesAsJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - '""'.length;
}
