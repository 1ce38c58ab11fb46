/** What those of a day take at most: those of further checkpoints are read each time. */
const MAX_BYTES = 48 * 1024 * 1024;

/** The hashes of the checkpoints of a day, by the first hits of these. */
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
