import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../engine/ground/time/days';
import { Database } from '../../engine/database/database';
import { insertRows, placeholdersFor, type Transaction } from '../../engine/database/rows';
import { Secret } from '../database/secret';

const COUNTER_BYTES = 16;

/** What somebody takes of what a day has for them. */
export interface Portion {
  name: string;
  wanted: number;
  most: number;
}

/**
 * Counts of days in UTC, for what harms others if it is repeated. They belong to the transaction of what they count, so
 * all processes agree at once, and what fails costs nothing. `RATE_LIMIT` does not change them.
 */
@Injectable()
export class DayCounts {
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    secret: Secret,
  ) {
    this.key = secret.key('counts of days');
  }

  /** Takes all portions, or none if one is more than the day still has. Returns the names of those. */
  async take(
    manager: Transaction,
    now: number,
    portions: readonly [Portion, ...Portion[]],
  ): Promise<string[]> {
    const counted = await this.lock(manager, now, portions);
    const missing = counted.filter(({ wanted, left }) => wanted > left);
    if (missing.length === 0) await this.add(manager, counted);
    return missing.map(({ name }) => name);
  }

  /** Takes as much of a portion as the day still has. Returns how much. */
  async takeSome(manager: Transaction, now: number, portion: Portion): Promise<number> {
    const [counted] = await this.lock(manager, now, [portion]);
    const wanted = Math.min(counted!.wanted, Math.max(0, counted!.left));
    await this.add(manager, [{ ...counted!, wanted }]);
    return wanted;
  }

  private async lock(manager: Transaction, now: number, portions: readonly Portion[]): Promise<Counted[]> {
    const endsAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
    const locked = portions.map((portion) => {
      const counter = this.counterOf(`${portion.name} ${endsAt}`);
      return { ...portion, counter, endsAt };
    });
    // The same order in all processes, so that they do not deadlock.
    locked.sort((one, other) => Buffer.compare(one.counter, other.counter));
    // Adding nothing locks the rows.
    await this.add(
      manager,
      locked.map((one) => ({ ...one, wanted: 0 })),
    );
    const used = await usedBy(
      manager,
      locked.map(({ counter }) => counter),
    );
    return locked.map((one) => ({ ...one, left: one.most - used.get(one.counter.toString('hex'))! }));
  }

  private add(
    manager: Transaction,
    counted: Pick<Counted, 'counter' | 'endsAt' | 'wanted'>[],
  ): Promise<void> {
    const ending = this.database.dialect.addIfThere('limit_counts', 'counter', 'used');
    const rows = counted.map(({ counter, endsAt, wanted }) => [counter, endsAt, wanted]);
    return insertRows(manager, 'limit_counts', ['counter', 'ends_at', 'used'], rows, ending);
  }

  private counterOf(label: string): Buffer {
    return createHmac('sha256', this.key).update(label).digest().subarray(0, COUNTER_BYTES);
  }
}

/** The seconds until there are new counts. */
export function secondsOfDayAfter(now: number): number {
  return Math.ceil((DAY_MS - (now % DAY_MS)) / 1000);
}

/** A portion whose row is locked. */
interface Counted extends Portion {
  counter: Buffer;
  endsAt: number;
  left: number;
}

async function usedBy(manager: Transaction, counters: Buffer[]): Promise<Map<string, number>> {
  const rows = await manager.query<{ counter: Buffer; used: number | string }[]>(
    `SELECT counter, used FROM limit_counts WHERE counter IN ${placeholdersFor(counters)}`,
    counters,
  );
  return new Map(rows.map(({ counter, used }) => [counter.toString('hex'), Number(used)]));
}
