import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/gate';
import { Database } from '../database/database';
import { ReadGate } from '../database/read-gate';
import type { StatName } from '../storage/dimensions';
import type { Sums } from '../storage/sums';
import { ReadCache } from './read-cache';
import { type CountedEntry, type Order, Snapshot } from './snapshot';
import { standing } from './state';
import { bytesOfWhole, type ReadPart, WholeBreakdown } from './whole-breakdown';
import type { Viewer } from './viewer';

export interface SnapshotResult<T> {
  result: T;
  /** Every event that was acknowledged by then is in the result. */
  asOf: Date;
}

@Injectable()
export class StatsRepository {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly cache: ReadCache,
  ) {}

  /** Asks for several things about a website, all of one moment. */
  async at<T>(
    viewer: Viewer,
    websiteId: number,
    caller: Caller,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<SnapshotResult<T>> {
    return this.gate.read(caller, async (manager) => {
      const { state, asOf } = await standing(this.database, manager, viewer, websiteId);
      return { result: await work(new Snapshot(manager, websiteId, state, this.cache)), asOf };
    });
  }

  /** Everything that was added up, in pieces; the values are looked up long after the snapshot. */
  async *whole(
    websiteId: number,
    caller: Caller,
    name: StatName,
    sums: Sums,
    order: Order,
    epoch: number,
  ): AsyncGenerator<CountedEntry[]> {
    const memory = this.gate.reserve(caller, bytesOfWhole(sums));
    const read: ReadPart = (work) => this.gate.readPart(caller, work);
    try {
      yield* new WholeBreakdown(read, websiteId, name, sums, epoch).inOrder(order);
    } finally {
      memory.release();
    }
  }
}
