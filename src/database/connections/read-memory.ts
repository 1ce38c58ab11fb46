import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { MemoryBudget, partFor } from '../../common/memory/memory-budget';
import { Overloaded, Problem } from '../../common/problem';

/** Many small reads together use less than an owner's share of the memory, so their number is limited too. */
const MAX_READS = 48;
/** A caller who takes no piece for this time gives way to others. */
const STALLED_MS = 10_000;

class ReadTooSlowly extends Problem {
  constructor() {
    super(503, 'overloaded', 'The answer was read too slowly while others needed its memory. Try again.', {
      retryAfterSeconds: 2,
    });
  }
}

/** The memory of one read until it is released. */
export class ReservedRead {
  private readonly ending = new AbortController();
  private offeredAt = Infinity;
  private isReleased = false;

  constructor(private readonly giveBack: () => void) {}

  /** Aborted if others need the memory. Everything that the read holds must go then. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Passes pieces on, and notes how long each one waits for the caller. */
  async *offer<T>(pieces: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
    for await (const piece of pieces) {
      this.signal.throwIfAborted();
      this.offeredAt = performance.now();
      yield piece;
      this.offeredAt = Infinity;
      this.signal.throwIfAborted();
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
@Injectable()
export class ReadMemory {
  private readonly memory = MemoryBudget.withPartFor('reads', 3 / 4);
  private readonly reads = new MemoryBudget(partFor(MAX_READS, 1 / 4));
  private readonly running = new Set<ReservedRead>();

  /**
   * Reserves a read's memory until it is released, or throws. A read that runs alone is never refused. Reads that stall
   * end before another one is refused for want of memory.
   */
  reserve({ owner }: Caller, bytes: number): ReservedRead {
    for (;;)
      try {
        return this.reserved(owner, bytes);
      } catch (error) {
        const stalled = this.longestStalled();
        if (!(error instanceof Overloaded) || !stalled) throw error;
        stalled.end();
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
    const read = new ReservedRead(() => {
      memory.release();
      this.reads.giveBack(owner, 1);
      this.running.delete(read);
    });
    this.running.add(read);
    return read;
  }

  private longestStalled(): ReservedRead | undefined {
    let found: ReservedRead | undefined;
    for (const read of this.running)
      if (read.stalledMs >= STALLED_MS && read.stalledMs > (found?.stalledMs ?? 0)) found = read;
    return found;
  }
}
