import { type Checkpoint, CHECKPOINTS } from './checkpoint-format';

const HASHES_PER_BUCKET = 8;
/** What all indexes of a day take at most; further checkpoints are read whole each time. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Where the hashes of a checkpoint are, which come in the order of their second half: of each the 16 bits behind those
 * that its bucket says. A hash that is not there is found once in many thousands.
 */
export class HashIndex {
  private readonly rests: Uint16Array;
  /** How many hashes there are before each bucket. */
  private readonly begins: Uint32Array;
  private readonly bits: number;
  private size = 0;
  private bucket = 0;

  constructor(hashes: number) {
    this.bits = Math.max(1, Math.ceil(Math.log2(hashes / HASHES_PER_BUCKET)));
    this.rests = new Uint16Array(hashes);
    this.begins = new Uint32Array(2 ** this.bits + 1);
  }

  get bytes(): number {
    return this.rests.byteLength + this.begins.byteLength;
  }

  /** The second half of the next hash. */
  add(half: number): void {
    for (const bucket = this.bucketOf(half); this.bucket < bucket;) this.begins[++this.bucket] = this.size;
    this.rests[this.size++] = this.restOf(half);
    this.begins[this.bucket + 1] = this.size;
  }

  /** The places at which hashes with some second halves may be. */
  placesOf(halves: Uint32Array): number[] {
    const places: number[] = [];
    for (let index = 0; index < halves.length; index++) {
      const [bucket, rest] = [this.bucketOf(halves[index]!), this.restOf(halves[index]!)];
      if (bucket > this.bucket) break;
      for (let place = this.begins[bucket]!; place < this.begins[bucket + 1]!; place++)
        if (this.rests[place] === rest) places.push(place);
    }
    return places;
  }

  private bucketOf(half: number): number {
    return half >>> (32 - this.bits);
  }

  private restOf(half: number): number {
    return (half << this.bits) >>> 16;
  }
}

/** Those of the checkpoints of a day, by their first hits. */
export class HashIndexes {
  private readonly indexes = new Map<number, HashIndex>();
  private filled: HashIndex | undefined;

  get bytes(): number {
    return [...this.indexes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  of(firstHit: number): HashIndex | undefined {
    return this.indexes.get(firstHit);
  }

  /** That of a checkpoint which is read from its first row on, unless it is known. */
  toFill({ firstHit, visitorPieces }: Checkpoint, piece: number): HashIndex | undefined {
    if (this.indexes.has(firstHit)) return undefined;
    if (piece === 0) this.filled = new HashIndex(CHECKPOINTS.hashesOfRow * visitorPieces);
    return this.filled;
  }

  /** Once all of its hashes are added. */
  keep({ firstHit }: Checkpoint, index: HashIndex): void {
    if (this.bytes + index.bytes <= MAX_BYTES) this.indexes.set(firstHit, index);
  }
}
