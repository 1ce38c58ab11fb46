import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../common/gate';
import { NotFound } from '../common/problem';
import { Database } from '../database/database';
import { ReadGate } from '../database/read-gate';
import type { StatName } from '../storage/dimensions';
import type { Sums } from '../storage/sums';
import { ReadCache } from './read-cache';
import { stateQuery } from './counters.query';
import { type CountedEntry, type Order, Snapshot } from './snapshot';
import { bytesOfWhole, type ReadPart, WholeBreakdown } from './whole-breakdown';

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
    ownerId: number,
    websiteId: number,
    caller: Caller,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<SnapshotResult<T>> {
    const { dialect } = this.database;
    return this.gate.read(caller, async (manager) => {
      // A server reads its clock before a statement sees any table. SQLite does so after, but has this machine's clock.
      const asked = dialect.oneConnection ? Date.now() : undefined;
      const { state, now, oldestWaiting } = await stateOf(manager, ownerId, websiteId, dialect.now);
      const result = await work(new Snapshot(manager, websiteId, state, this.cache));
      // The oldest waiting event is not in the numbers, and others may have the same stamp.
      return { result, asOf: new Date(oldestWaiting === null ? (asked ?? now) : oldestWaiting - 1) };
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

async function stateOf(manager: EntityManager, ownerId: number, websiteId: number, clock: string) {
  const query = stateQuery(manager, ownerId, websiteId).addSelect(clock, 'now');
  const row = await query.getRawOne<Record<string, unknown>>();
  if (!row) throw new NotFound('Website');
  const { version, packed_version, open_version, closed_before, merged_before, oldest_waiting } = row;
  const state = {
    folds: Number(row.folds),
    version: Number(version),
    packedVersion: Number(packed_version),
    openVersion: Number(open_version),
    epoch: Number(row.epoch),
    closedBefore: Number(closed_before),
    mergedBefore: Number(merged_before),
  };
  return {
    state,
    now: Number(row.now),
    oldestWaiting: oldest_waiting === null ? null : Number(oldest_waiting),
  };
}
