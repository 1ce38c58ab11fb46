import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NotFound } from '../common/problem';
import { Database } from '../database/database';
import { ClosedSums } from './closed-sums';
import { stateQuery } from './counters.query';
import type { StatName } from './dimensions';
import { type Counted, type Order, Snapshot } from './snapshot';
import type { Sums } from './sums';
import { WholeBreakdown } from './whole-breakdown';

export interface AtOnce<T> {
  result: T;
  /** Every event that was acknowledged by then is in the result. */
  asOf: Date;
}

@Injectable()
export class StatsRepository {
  constructor(
    private readonly database: Database,
    private readonly closed: ClosedSums,
  ) {}

  /** Asks for several things about a website, all of one moment. */
  async at<T>(
    ownerId: number,
    websiteId: number,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<AtOnce<T>> {
    const { dialect } = this.database;
    return this.database.read(async (manager) => {
      // A server reads its clock before a statement sees any table. SQLite does so after, but has this machine's clock.
      const asked = dialect.oneConnection ? Date.now() : undefined;
      const { state, now, oldestWaiting } = await stateOf(manager, ownerId, websiteId, dialect.now);
      const result = await work(new Snapshot(manager, websiteId, state, this.closed));
      return { result, asOf: new Date(oldestWaiting ?? asked ?? now) };
    });
  }

  /** Everything that was added up, piece by piece; what it is called is asked for long after the snapshot. */
  whole(websiteId: number, name: StatName, sums: Sums, order: Order): AsyncIterable<Counted[]> {
    return new WholeBreakdown(this.database, websiteId, name, sums).inOrder(order);
  }
}

async function stateOf(manager: EntityManager, ownerId: number, websiteId: number, clock: string) {
  const query = stateQuery(manager, ownerId, websiteId).addSelect(clock, 'now');
  const row = await query.getRawOne<Record<string, unknown>>();
  if (!row) throw new NotFound('website');
  const { folds, version, packed_version, closed_before, merged_before, oldest_waiting } = row;
  const state = {
    folds: Number(folds),
    version: Number(version),
    packedVersion: Number(packed_version),
    closedBefore: Number(closed_before),
    mergedBefore: Number(merged_before),
  };
  return {
    state,
    now: Number(row.now),
    oldestWaiting: oldest_waiting === null ? null : Number(oldest_waiting),
  };
}
