import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/gate';
import { MemoryBudget } from '../common/memory-budget';

const LIMITS = { bytes: 64 * 1024 * 1024, bytesOfOwner: 48 * 1024 * 1024 };

/** Bounds the memory of all reads that are answered in parts, as fast as their callers take them. */
@Injectable()
export class ReadMemory {
  private readonly memory = new MemoryBudget(LIMITS);

  /** Counts what a read keeps in memory until `release` is called, or refuses it. A read alone is never refused. */
  reserve({ owner }: Caller, bytes: number): { release: () => void } {
    return this.memory.reserve(owner, bytes);
  }
}
