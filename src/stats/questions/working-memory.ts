import { bytesOfPool } from '../../common/byte-budget';
import { Overloaded } from '../../common/problem';
import { SharedBudget, slotsFor } from '../../common/shared-budget';

const POOLS = ['queries', 'portions'] as const;
export type Pool = (typeof POOLS)[number];

/** What the threads for questions have taken of their pools, and which slot one of them has. */
export type ThreadMemory = Record<Pool, Int32Array> & { readonly slot: number };

/** Taken at once, since others are asked for each time. */
const BLOCK_BYTES = 256 * 1024;

/** One for each thread. */
export function memoryOfThreads(threads: number): ThreadMemory[] {
  const pools = { queries: slotsFor(threads), portions: slotsFor(threads) };
  return Array.from({ length: threads }, (_, slot) => ({ ...pools, slot }));
}

/** Gives back what a thread had that has ended. */
export function giveBackOf({ slot, ...pools }: ThreadMemory): void {
  for (const pool of POOLS) Atomics.store(pools[pool], slot, 0);
}

/**
 * What a thread takes for the one question, or portion of one, that it is busy with: texts beyond those that are kept,
 * rows and filters, of a pool that it shares with the other threads.
 */
export class WorkingMemory {
  private readonly pools: Record<Pool, SharedBudget>;
  private pool: Pool = 'queries';
  private takenBytes = 0;
  private usedBytes = 0;
  private textBytes = 0;
  private lacksTexts = false;

  constructor({ slot, ...pools } = memoryOfThreads(1)[0]!) {
    this.pools = {
      queries: new SharedBudget(pools.queries, slot, bytesOfPool('queries')),
      portions: new SharedBudget(pools.portions, slot, bytesOfPool('portions')),
    };
  }

  /** Whether texts were taken together since others use the memory: what was read with them must not be kept. */
  get isShort(): boolean {
    return this.lacksTexts;
  }

  begin(pool: Pool): void {
    this.pool = pool;
  }

  /** Gives back all but what texts take. */
  keepTexts(): void {
    this.giveBackBut(this.textBytes);
  }

  end(): void {
    this.giveBackBut(0);
    [this.textBytes, this.lacksTexts] = [0, false];
  }

  /** For texts, which are met in the middle of a piece of work: it ends at the next check. */
  readonly takeForTexts = (bytes: number): boolean => {
    const isTaken = this.takes(bytes);
    if (isTaken) this.textBytes += bytes;
    else this.lacksTexts = true;
    return isTaken;
  };

  /** Between two pieces of work. */
  readonly take = (bytes: number): void => {
    if (!this.takes(bytes)) throw new Overloaded();
  };

  check(): void {
    if (this.lacksTexts) throw new Overloaded();
  }

  private giveBackBut(bytes: number): void {
    this.pools[this.pool].giveBack(this.takenBytes - bytes);
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
      if (this.pools[this.pool].take(size)) {
        this.takenBytes += size;
        return true;
      }
    return false;
  }
}
