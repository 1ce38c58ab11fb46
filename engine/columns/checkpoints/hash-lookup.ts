import type { VisitorNumbers } from '../encoding/visitor-numbers';
import type { CountedDay } from '../rollups/counted-day';

/** Among this number of stored hashes for each one, looking for each is faster than reading all. */
const STORED_FOR_EACH = 16;
/** A bit for some of the halves: about one of ten other halves has the bit of a hash. */
const BITS = 23;
const DROPPED_BITS = 32 - BITS;

/** Looks for hashes among stored ones. Both are sorted by the second half of the hash. */
export class HashLookup {
  private readonly halves: Uint32Array;
  private bits: Uint8Array | undefined;

  constructor(private readonly hashes: VisitorNumbers) {
    this.halves = hashes.secondHalves();
  }

  /** Marks the stored hashes in the counted day. */
  meetStored(stored: Uint32Array, counted: CountedDay): void {
    if (stored.length / 2 > STORED_FOR_EACH * this.halves.length) this.lookForEach(stored, counted);
    else this.readAll(stored, counted);
  }

  private lookForEach(stored: Uint32Array, counted: CountedDay): void {
    const { halves } = this;
    const size = stored.length / 2;
    let before = -1;
    const isBefore = (place: number, half: number) => place < size && stored[2 * place + 1]! < half;
    for (let index = 0; index < halves.length; index++) {
      const half = halves[index]!;
      if (index > 0 && half === halves[index - 1]) continue;
      let step = 1;
      for (; isBefore(before + step, half); step *= 2) before += step;
      for (step /= 2; step >= 1; step /= 2) if (isBefore(before + step, half)) before += step;
      for (let place = before + 1; place < size && stored[2 * place + 1] === half; place++)
        this.meet(stored[2 * place]!, half, counted);
    }
  }

  private readAll(stored: Uint32Array, counted: CountedDay): void {
    const bits = (this.bits ??= bitsOf(this.halves));
    for (let place = 0; place < stored.length; place += 2) {
      const half = stored[place + 1]!;
      const bit = half >>> DROPPED_BITS;
      if ((bits[bit >>> 3]! & (1 << (bit & 7))) !== 0) this.meet(stored[place]!, half, counted);
    }
  }

  private meet(high: number, low: number, counted: CountedDay): void {
    if (this.hashes.findHash(high | 0, low | 0) !== 0) counted.meet(high | 0, low | 0);
  }
}

function bitsOf(halves: Uint32Array): Uint8Array {
  const bits = new Uint8Array(2 ** (BITS - 3));
  for (const half of halves) {
    const bit = half >>> DROPPED_BITS;
    bits[bit >>> 3]! |= 1 << (bit & 7);
  }
  return bits;
}
