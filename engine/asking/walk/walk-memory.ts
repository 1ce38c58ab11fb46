import { bytesOfQuery } from '../../ground/memory/memory-limits';
import { InvalidFields } from '../../ground/errors';
import { PeakMemory } from '../memory/peak-memory';

/**
 * Beyond this share of 64 MiB (67 MB), further links of journeys are counted together. Before that is noticed, a block of
 * some 262,000 hits may have doubled the tables (2 × 13.4 MB), or added one of 7 MB. Then only the counts by item grow:
 * of four steps, with 4 bytes for each of 1.3 million items and half as much room to grow (32 MB), because 64 MiB of
 * texts are 660,000 pages or events. So what is counted together always fits.
 */
const MOST_OF_LINKS = 0.2;

/** Limits the memory of a walk's counts. */
export class WalkMemory {
  constructor(
    private readonly memory = new PeakMemory(),
    private readonly maxBytes = bytesOfQuery('rows'),
  ) {}

  /** Tells whether further values should be counted together. */
  isShortFor(bytes: number): boolean {
    return bytes > MOST_OF_LINKS * this.maxBytes;
  }

  reserve(bytes: number): void {
    if (bytes > this.maxBytes) throw new TooManyValues();
    this.memory.reserve(bytes);
  }
}

class TooManyValues extends InvalidFields {
  constructor() {
    super({ range: ['has too many different values; request fewer days, or send a filter'] });
  }
}
