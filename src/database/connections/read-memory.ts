import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { MemoryBudget, partFor } from '../../common/memory/memory-budget';

/** Small ones are many before they take an owner's part of the memory. */
const MAX_READS = 48;

/** Bounds all reads that are answered in parts, as fast as their callers take them: their memory, and how many they are. */
@Injectable()
export class ReadMemory {
  private readonly memory = MemoryBudget.withPartFor('reads', 3 / 4);
  private readonly reads = new MemoryBudget(partFor(MAX_READS, 1 / 4));

  /** Counts what a read keeps in memory until `release` is called, or refuses it. A read alone is never refused. */
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
