/** The limit for one day. The hashes of further checkpoints are read each time. */
const MAX_BYTES = 48 * 1024 * 1024;

/** The hashes of a day's checkpoints, by the first hit of each checkpoint. */
export class CachedHashes {
  bytes = 0;
  private readonly byFirstHit = new Map<number, Uint32Array>();

  of(firstHit: number): Uint32Array | undefined {
    return this.byFirstHit.get(firstHit);
  }

  set(firstHit: number, hashes: Uint32Array): void {
    if (this.byFirstHit.has(firstHit) || this.bytes + hashes.byteLength > MAX_BYTES) return;
    this.byFirstHit.set(firstHit, hashes);
    this.bytes += hashes.byteLength;
  }
}
