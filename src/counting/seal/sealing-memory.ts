import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOfPool } from '../../common/memory/pools';
import { HITS_OF_PART } from '../../storage/segments/part-format';
import { VALUE_LIMITS } from '../../storage/rollups/limits/value-limits';
import { BYTES_AT_ONCE } from '../columns/column-work';

/** A day that takes long, and another website's beside it. */
const DAYS_AT_ONCE = 2;
const POOL_BYTES = bytesOfPool('sealing');
const DAY_BYTES = POOL_BYTES / DAYS_AT_ONCE;
const LOOK_EVERY_MS = 50;

/** How much is sealed at once. */
export interface SealingLimits {
  /** How many hits a part has at most; more only where one visitor has more. */
  hits: number;
  /** Of the texts in a partition of the day, all of which is in memory at once. */
  textBytes: number;
  /** What hits take in memory before they are written as fragments, and the texts of the day beside them. */
  bufferBytes: number;
  dayTextBytes: number;
  /** What the hits of a partition take while they are put in order. Larger ones are written column by column. */
  partitionBytes: number;
  /** What one day takes, and a partition that is written column by column: that of a visitor with very many hits. */
  dayBytes: number;
  largestBytes: number;
  /** What a transaction writes or removes. */
  bytesAtOnce: number;
  /** How many values of a name a day keeps. */
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

/** The memory of all days that are sealed in this process. Who needs more than is left waits in turn. */
export class SealingMemory {
  private taken = 0;
  private readonly waiting: symbol[] = [];

  constructor(private readonly maxBytes = POOL_BYTES) {}

  /** Work that takes some bytes; undefined where it is to go on no longer before they are free. */
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
      this.taken -= own;
    }
  }

  /** Work within `during` that takes other bytes instead. */
  async replaceDuring<T>(
    bytes: number,
    other: number,
    goOn: () => Promise<boolean>,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    this.taken -= bytes;
    try {
      return await this.takeDuring(other, goOn, work);
    } finally {
      this.taken += bytes;
    }
  }

  private async take(bytes: number, goOn: () => Promise<boolean>): Promise<boolean> {
    const ticket = Symbol('one who waits');
    this.waiting.push(ticket);
    try {
      while (this.waiting[0] !== ticket || this.taken + bytes > this.maxBytes) {
        if (!(await goOn())) return false;
        await sleep(LOOK_EVERY_MS);
      }
      this.taken += bytes;
      return true;
    } finally {
      this.waiting.splice(this.waiting.indexOf(ticket), 1);
    }
  }
}

/** Of all days that are sealed or rolled up in this process. */
export const SEALING_MEMORY = new SealingMemory();
