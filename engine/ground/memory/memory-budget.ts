import { bytesOfPool, type PoolName } from './memory-limits';
import { Overloaded, TooManyRequests } from '../errors';
import { Counter, Gauge } from '../measures';

export const POOL_BYTES = new Gauge('pool_bytes', 'The memory that work of a pool has taken.', ['pool']);
const REFUSALS = new Counter(
  'pool_refusals_total',
  'Work that a pool refused: too much of one caller, or too much of all.',
  ['pool', 'cause'],
);

interface MemoryLimits {
  bytes: number;
  bytesOfOwner: number;
  /** The part of the memory left by others that an owner may take. */
  partOfRest: number;
  /** Tells whether the first work of an owner, or of all owners, is accepted whatever its size. */
  acceptsOne: boolean;
}

type Owner = number | string;

/** Each owner may take a quarter of the memory left by others, so a few owners cannot take all of it. */
export function quarters(bytes: number): MemoryLimits {
  return { bytes, bytesOfOwner: bytes / 4, partOfRest: 1 / 4, acceptsOne: false };
}

/** An owner may take up to a part of the whole. Work that runs alone is never refused. */
export function partFor(bytes: number, ofOwner: number): MemoryLimits {
  return { bytes, bytesOfOwner: bytes * ofOwner, partOfRest: 1, acceptsOne: true };
}

/** Bounds the memory of work in progress, in all and for each owner. */
export class MemoryBudget {
  private taken = 0;
  private readonly byOwner = new Map<Owner, number>();

  constructor(
    private readonly limits: MemoryLimits,
    private readonly pool?: PoolName,
  ) {}

  /** Each owner may take a quarter of the memory left by others. */
  static inQuarters(pool: PoolName): MemoryBudget {
    return new MemoryBudget(quarters(bytesOfPool(pool)), pool);
  }

  static withPartFor(pool: PoolName, ofOwner: number): MemoryBudget {
    return new MemoryBudget(partFor(bytesOfPool(pool), ofOwner), pool);
  }

  /** Reserves bytes until `giveBack`, or throws. */
  take(owner: Owner, bytes: number): void {
    const { bytes: all, bytesOfOwner, partOfRest, acceptsOne } = this.limits;
    const before = this.byOwner.get(owner) ?? 0;
    const after = before + bytes;
    const rest = all - (this.taken - before);
    if (after > bytesOfOwner && !(acceptsOne && before === 0)) {
      this.count(REFUSALS, 1, 'caller');
      throw new TooManyRequests();
    }
    if (after > rest * partOfRest && !(acceptsOne && this.taken === 0)) {
      this.count(REFUSALS, 1, 'all');
      throw new Overloaded();
    }
    this.taken += bytes;
    this.count(POOL_BYTES, bytes);
    this.byOwner.set(owner, after);
  }

  giveBack(owner: Owner, bytes: number): void {
    this.taken -= bytes;
    this.count(POOL_BYTES, -bytes);
    const left = (this.byOwner.get(owner) ?? 0) - bytes;
    if (left > 0) this.byOwner.set(owner, left);
    else this.byOwner.delete(owner);
  }

  /** Reserves bytes until `release` is called, or throws. */
  reserve(owner: Owner, bytes: number): { release: () => void } {
    this.take(owner, bytes);
    return { release: () => this.giveBack(owner, bytes) };
  }

  private count(measure: Counter | Gauge, count: number, ...labels: string[]): void {
    if (this.pool) measure.add(count, this.pool, ...labels);
  }
}
