import { bytesOfPool, type PoolName } from './byte-budget';
import { Overloaded, TooManyRequests } from '../problem';

interface MemoryLimits {
  bytes: number;
  bytesOfOwner: number;
  /** An owner may take so large a part of what the others leave. */
  partOfRest: number;
  /** Whether the first work of an owner, or of all, is accepted however large it is. */
  acceptsOne: boolean;
}

type Owner = number | string;

/** A few owners cannot take all: each may take a quarter of what the others leave. */
export function quarters(bytes: number): MemoryLimits {
  return { bytes, bytesOfOwner: bytes / 4, partOfRest: 1 / 4, acceptsOne: false };
}

/** Work that is alone is never refused. An owner may take up to a part of all. */
export function partFor(bytes: number, ofOwner: number): MemoryLimits {
  return { bytes, bytesOfOwner: bytes * ofOwner, partOfRest: 1, acceptsOne: true };
}

/** Bounds the memory of work that is under way, in all and of each owner. */
export class MemoryBudget {
  private taken = 0;
  private readonly byOwner = new Map<Owner, number>();

  constructor(private readonly limits: MemoryLimits) {}

  /** A quarter of what others leave for each. */
  static inQuarters(pool: PoolName): MemoryBudget {
    return new MemoryBudget(quarters(bytesOfPool(pool)));
  }

  static withPartFor(pool: PoolName, ofOwner: number): MemoryBudget {
    return new MemoryBudget(partFor(bytesOfPool(pool), ofOwner));
  }

  /** Counts bytes until they are given back, or refuses them. */
  take(owner: Owner, bytes: number): void {
    const { bytes: all, bytesOfOwner, partOfRest, acceptsOne } = this.limits;
    const before = this.byOwner.get(owner) ?? 0;
    const after = before + bytes;
    const rest = all - (this.taken - before);
    if (after > bytesOfOwner && !(acceptsOne && before === 0)) throw new TooManyRequests();
    if (after > rest * partOfRest && !(acceptsOne && this.taken === 0)) throw new Overloaded();
    this.taken += bytes;
    this.byOwner.set(owner, after);
  }

  giveBack(owner: Owner, bytes: number): void {
    this.taken -= bytes;
    const left = (this.byOwner.get(owner) ?? 0) - bytes;
    if (left > 0) this.byOwner.set(owner, left);
    else this.byOwner.delete(owner);
  }

  /** Takes bytes until `release` is called, or refuses them. */
  reserve(owner: Owner, bytes: number): { release: () => void } {
    this.take(owner, bytes);
    return { release: () => this.giveBack(owner, bytes) };
  }
}
