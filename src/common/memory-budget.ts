import { Overloaded, TooManyRequests } from './problem';

interface MemoryLimits {
  bytes: number;
  bytesOfOwner: number;
}

/** Bounds the memory of work that is under way, in all and of each owner. Work that is alone is never refused. */
export class MemoryBudget {
  private bytes = 0;
  private readonly bytesByOwner = new Map<number | string, number>();

  constructor(private readonly limits: MemoryLimits) {}

  /** Counts the bytes until `release` is called, or refuses the work. */
  reserve(owner: number | string, bytes: number): { release: () => void } {
    const ofOwner = this.bytesByOwner.get(owner) ?? 0;
    if (ofOwner > 0 && ofOwner + bytes > this.limits.bytesOfOwner) throw new TooManyRequests();
    if (this.bytes > 0 && this.bytes + bytes > this.limits.bytes) throw new Overloaded();
    this.count(owner, bytes);
    return { release: () => this.count(owner, -bytes) };
  }

  private count(owner: number | string, change: number): void {
    const ofOwner = (this.bytesByOwner.get(owner) ?? 0) + change;
    this.bytes += change;
    if (ofOwner > 0) this.bytesByOwner.set(owner, ofOwner);
    else this.bytesByOwner.delete(owner);
  }
}
