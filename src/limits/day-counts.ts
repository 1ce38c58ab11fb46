import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../common/time/days';
import { Database } from '../database/database';
import { insertRows, placesFor, type Transaction } from '../database/rows';
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
    const endsAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
    const counted = portions.map((portion) => ({
      ...portion,
      counter: this.counterOf(`${portion.name} ${endsAt}`),
    }));
    // The same order in all processes, so that they do not deadlock.
    counted.sort((one, other) => Buffer.compare(one.counter, other.counter));
    const addAll = (moreOf: (portion: Portion) => number) =>
      this.add(
        manager,
        counted.map((one) => [one.counter, endsAt, moreOf(one)]),
      );
    // Adding nothing locks the rows.
    await addAll(() => 0);
    const used = await usedBy(
      manager,
      counted.map(({ counter }) => counter),
    );
    const missing = counted.filter(
      ({ counter, wanted, most }) => used.get(counter.toString('hex'))! + wanted > most,
    );
    if (missing.length === 0) await addAll(({ wanted }) => wanted);
    return missing.map(({ name }) => name);
  }

  private add(manager: Transaction, rows: unknown[][]): Promise<void> {
    const ending = this.database.dialect.addIfThere('limit_counts', 'counter', 'used');
    return insertRows(manager, 'limit_counts', ['counter', 'ends_at', 'used'], rows, ending);
  }

  private counterOf(label: string): Buffer {
    return createHmac('sha256', this.key).update(label).digest().subarray(0, COUNTER_BYTES);
  }
}

async function usedBy(manager: Transaction, counters: Buffer[]): Promise<Map<string, number>> {
  const rows = await manager.query<{ counter: Buffer; used: number | string }[]>(
    `SELECT counter, used FROM limit_counts WHERE counter IN ${placesFor(counters)}`,
    counters,
  );
  return new Map(rows.map(({ counter, used }) => [counter.toString('hex'), Number(used)]));
}
