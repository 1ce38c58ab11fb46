import { bytesOfPool } from '../../ground/memory/memory-limits';
import { WaitingPool } from '../../ground/memory/waiting-pool';
import { HITS_OF_PART } from '../segments/part-format';
import { VALUE_LIMITS } from '../../hits/rules/value-limits';
import { BYTES_AT_ONCE } from '../upkeep/column-work';

/** A large day, and another website's day beside it. */
const DAYS_AT_ONCE = 2;
const POOL_BYTES = bytesOfPool('sealing');
const DAY_BYTES = POOL_BYTES / DAYS_AT_ONCE;

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

/** Shared by all sealing and rolling up in this process. */
export const SEALING_MEMORY = new WaitingPool('sealing', POOL_BYTES);
