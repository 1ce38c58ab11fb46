import { setTimeout as sleep } from 'node:timers/promises';
import { POOL_BYTES as BYTES_OF_POOLS } from '../../ground/memory/memory-budget';
import { bytesOfPool } from '../../ground/memory/memory-limits';
import { HITS_OF_PART } from '../segments/part-format';
import { VALUE_LIMITS } from '../../hits/rules/value-limits';
import { BYTES_AT_ONCE } from '../upkeep/column-work';

/** A large day, and another website's day beside it. */
const DAYS_AT_ONCE = 2;
const POOL_BYTES = bytesOfPool('sealing');
const DAY_BYTES = POOL_BYTES / DAYS_AT_ONCE;
const LOOK_EVERY_MS = 50;

/** The limits of sealing. */
export interface SealingLimits {
  /** The hits of a part. Exceeded only if one visitor has more. */
  hits: number;
  /** The texts of a partition, which is in memory as a whole. */
  textBytes: number;
  /** The hits in memory before they are written as fragments, and the texts of the day beside them. */
  bufferBytes: number;
  dayTextBytes: number;
  /** The hits of a partition while they are ordered. A larger partition is written column by column. */
  partitionBytes: number;
  /** One day; also a partition that is written column by column, of a visitor with very many hits. */
  dayBytes: number;
  largestBytes: number;
  /** The size of a transaction. */
  bytesAtOnce: number;
  /** The values of a name in a day's rollup. */
  maxValues: number;
}

export const SEALING_LIMITS: SealingLimits = {
  hits: HITS_OF_PART,
  textBytes: DAY_BYTES / 3,
  bufferBytes: (DAY_BYTES * 5) / 12,
  dayTextBytes: DAY_BYTES / 4,
  partitionBytes: (DAY_BYTES * 3) / 4,
  dayBytes: DAY_BYTES,
  largestBytes: POOL_BYTES,
  bytesAtOnce: BYTES_AT_ONCE,
  maxValues: VALUE_LIMITS.newPerDay,
};

/** The memory for sealing in this process. Work waits in turn until it is free. */
export class SealingMemory {
  private taken = 0;
  private readonly waiting: symbol[] = [];

  constructor(private readonly maxBytes = POOL_BYTES) {}

  /** Runs work that takes some bytes. Undefined if `goOn` returns false before they are free. */
  async takeDuring<T>(
    bytes: number,
    goOn: () => Promise<boolean>,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const own = Math.min(bytes, this.maxBytes);
    if (!(await this.take(own, goOn))) return undefined;
    try {
      return await work();
    } finally {
      this.count(-own);
    }
  }

  /** Runs work within `takeDuring` that takes other bytes instead. */
  async replaceDuring<T>(
    bytes: number,
    other: number,
    goOn: () => Promise<boolean>,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    this.count(-bytes);
    try {
      return await this.takeDuring(other, goOn, work);
    } finally {
      this.count(bytes);
    }
  }

  private count(bytes: number): void {
    this.taken += bytes;
    BYTES_OF_POOLS.add(bytes, 'sealing');
  }

  private async take(bytes: number, goOn: () => Promise<boolean>): Promise<boolean> {
    const ticket = Symbol('one who waits');
    this.waiting.push(ticket);
    try {
      while (this.waiting[0] !== ticket || this.taken + bytes > this.maxBytes) {
        if (!(await goOn())) return false;
        await sleep(LOOK_EVERY_MS);
      }
      this.count(bytes);
      return true;
    } finally {
      this.waiting.splice(this.waiting.indexOf(ticket), 1);
    }
  }
}

/** Shared by all sealing and rolling up in this process. */
export const SEALING_MEMORY = new SealingMemory();
