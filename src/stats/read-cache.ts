import { ByteCache } from '../common/byte-cache';
import type { Sums } from '../storage/sums';
import type { ValueOrder } from './value-order';

interface VersionedSums {
  version: string;
  sums: Sums;
}

/**
 * What was read last. An entry holds for one version, which is read in the snapshot of each request, so that a change
 * by another process is never missed.
 */
export class ReadCache {
  readonly orders = new ByteCache<ValueOrder>('valueOrders', ({ bytes }) => bytes);
  private readonly sums = new ByteCache<VersionedSums>('sums', ({ sums }) => sums.counts.byteLength);

  /** Sums in the cache are shared, so nobody may change them. */
  async sumsOf(key: string, version: string, load: () => Promise<Sums>): Promise<Sums> {
    const cached = this.sums.get(key);
    if (cached?.version === version) return cached.sums;
    const sums = await load();
    this.sums.set(key, { version, sums });
    return sums;
  }
}
