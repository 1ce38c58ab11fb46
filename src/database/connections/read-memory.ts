import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { MemoryBudget, partFor } from '../../common/memory/memory-budget';

/** Many small reads together use less than an owner's share of the memory, so their number is limited too. */
const MAX_READS = 48;

/** Bounds the memory and the number of reads that are answered in parts, at the pace of their callers. */
@Injectable()
export class ReadMemory {
  private readonly memory = MemoryBudget.withPartFor('reads', 3 / 4);
  private readonly reads = new MemoryBudget(partFor(MAX_READS, 1 / 4));

  /** Reserves a read's memory until `release` is called, or throws. A read that runs alone is never refused. */
  reserve({ owner }: Caller, bytes: number): { release: () => void } {
    const memory = this.memory.reserve(owner, bytes);
    try {
      this.reads.take(owner, 1);
    } catch (error) {
      memory.release();
      throw error;
    }
    const release = () => {
      memory.release();
      this.reads.giveBack(owner, 1);
    };
    return { release };
  }
}
