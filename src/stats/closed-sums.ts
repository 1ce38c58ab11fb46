import { Injectable } from '@nestjs/common';
import type { Sums } from './sums';

const MOST_BYTES = 32 * 1024 * 1024;

interface Entry {
  version: number;
  sums: Sums;
}

/**
 * The sums of closed ranges asked for last. They hold for one version of the website's closed days, which is read in
 * the same snapshot as all else, so that what another process changed is never answered from here.
 */
@Injectable()
export class ClosedSums {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  get(key: string, version: number): Sums | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.remove(key, entry);
    if (entry.version !== version) return undefined;
    this.put(key, entry);
    return entry.sums;
  }

  keep(key: string, version: number, sums: Sums): void {
    const earlier = this.entries.get(key);
    if (earlier) this.remove(key, earlier);
    this.put(key, { version, sums });
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= MOST_BYTES) return;
      this.remove(oldest, entry);
    }
  }

  private put(key: string, entry: Entry): void {
    this.entries.set(key, entry);
    this.bytes += entry.sums.counts.byteLength;
  }

  private remove(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.bytes -= entry.sums.counts.byteLength;
  }
}
