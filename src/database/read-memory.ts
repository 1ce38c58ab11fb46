import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/gate';
import { MemoryBudget } from '../common/memory-budget';

/** Bounds the memory of all reads that are answered in parts, as fast as their callers take them. */
@Injectable()
export class ReadMemory {
  private readonly memory = MemoryBudget.withPartFor('reads', 3 / 4);

  /** Counts what a read keeps in memory until `release` is called, or refuses it. A read alone is never refused. */
  reserve({ owner }: Caller, bytes: number): { release: () => void } {
    return this.memory.reserve(owner, bytes);
  }
}
