import type { Caller } from '../gate';
import { MemoryBudget, partFor } from './memory-budget';
import { bytesOfPool } from './memory-limits';
import { Overloaded, Problem } from '../errors';

/** Many small reads together use less than an owner's share of the memory, so their number is limited too. */
const MAX_READS = 48;
/**
 * A caller who takes no piece for this time gives way to others. A kernel's buffers hold megabytes, so one who reads less
 * than some 60 KiB a second is seen to take none for so long.
 */
const STALLED_MS = 25_000;

const POOL_BYTES = bytesOfPool('reads');

class ReadTooSlowly extends Problem {
  constructor() {
    super('overloaded', 'The answer was read too slowly while others needed its memory. Try again.', {
      retryAfterSeconds: 2,
    });
  }
}

/** The memory of one read until it is released. */
export class ReservedRead {
  private readonly ending = new AbortController();
  private offeredAt = Infinity;
  private isReleased = false;

  constructor(
    readonly bytes: number,
    private readonly giveBack: () => void,
  ) {}

  /** Aborted if others need the memory. Everything that the read holds must go then. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Passes pieces on, and notes how long each one waits for the caller. Releases the memory at the end. */
  async *offer<T>(pieces: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
    try {
      for await (const piece of pieces) {
        this.signal.throwIfAborted();
        this.offeredAt = performance.now();
        yield piece;
        this.offeredAt = Infinity;
        this.signal.throwIfAborted();
      }
    } finally {
      this.release();
    }
  }

  /** The time for which the current piece has waited. */
  get stalledMs(): number {
    return performance.now() - this.offeredAt;
  }

  release(): void {
    if (!this.isReleased) this.giveBack();
    this.isReleased = true;
  }

  end(): void {
    this.release();
    this.ending.abort(new ReadTooSlowly());
  }
}

/** Bounds the memory and the number of reads that are answered in parts, at the pace of their callers. */
export class ReadMemory {
  private readonly memory = MemoryBudget.withPartFor('reads', 3 / 4);
  private readonly reads = new MemoryBudget(partFor(MAX_READS, 1 / 4));
  private readonly running = new Set<ReservedRead>();

  /**
   * Reserves a read's memory until it is released, or throws. A read that runs alone is never refused. Before another
   * one is refused for want of memory, reads that stall end, if that makes room for it.
   */
  reserve({ owner }: Caller, bytes: number): ReservedRead {
    for (;;)
      try {
        return this.reserved(owner, bytes);
      } catch (error) {
        const [longest] = this.stalled();
        if (!(error instanceof Overloaded) || !longest || !this.wouldFit(bytes)) throw error;
        longest.end();
      }
  }

  private reserved(owner: Caller['owner'], bytes: number): ReservedRead {
    const memory = this.memory.reserve(owner, bytes);
    try {
      this.reads.take(owner, 1);
    } catch (error) {
      memory.release();
      throw error;
    }
    const read = new ReservedRead(bytes, () => {
      memory.release();
      this.reads.giveBack(owner, 1);
      this.running.delete(read);
    });
    this.running.add(read);
    return read;
  }

  /** The reads that stall, the longest first. */
  private stalled(): ReservedRead[] {
    return [...this.running]
      .filter(({ stalledMs }) => stalledMs >= STALLED_MS)
      .sort((one, other) => other.stalledMs - one.stalledMs);
  }

  /** Tells whether a read would fit beside those that do not stall. */
  private wouldFit(bytes: number): boolean {
    const stalled = this.stalled();
    const going = [...this.running].filter((read) => !stalled.includes(read));
    const taken = going.reduce((sum, read) => sum + read.bytes, 0);
    return going.length === 0 || (taken + bytes <= POOL_BYTES && going.length < MAX_READS);
  }
}
