import { Injectable } from '@nestjs/common';
import { type Caller, Gate } from '../common/gate';
import { MemoryBudget } from '../common/memory-budget';
import type { Work } from './connections';
import { Database } from './database';

/** A console that asks for every name at once is served; SQLite has as many threads. */
const LIMITS = { runningOfOwner: 2, waiting: 32, waitingOfOwner: 16, patienceMs: 10_000 };
const MAX_RUNNING = 4;
const MAX_RUNNING_ON_SQLITE = 2;

/**
 * All costly reads go through here. A read is admitted or refused as a whole; one that is answered in parts holds a
 * place only while a part is read, and its memory until it ends.
 */
@Injectable()
export class ReadGate {
  private readonly gate: Gate;
  private readonly memory = MemoryBudget.withPartFor('reads', 3 / 4);

  constructor(private readonly database: Database) {
    const running = database.dialect.oneConnection ? MAX_RUNNING_ON_SQLITE : MAX_RUNNING;
    this.gate = new Gate({ ...LIMITS, running });
  }

  /** A read, or the first part of one. */
  read<T>(caller: Caller, work: Work<T>): Promise<T> {
    return this.gate.run(caller, () => this.database.readLong(work));
  }

  /** A further part of a read that was admitted. */
  readPart<T>(caller: Caller, work: Work<T>): Promise<T> {
    return this.gate.continue(caller, () => this.database.readLong(work));
  }

  /** Counts what a read keeps in memory until `release` is called, or refuses it. A read alone is never refused. */
  reserve({ owner }: Caller, bytes: number): { release: () => void } {
    return this.memory.reserve(owner, bytes);
  }
}
