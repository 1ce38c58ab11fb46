import { bytesOfQuery } from '../../../common/memory/pools';
import { InvalidFields } from '../../../common/problem';
import { PeakMemory } from '../answer/peak-memory';

/** Limits the memory of a walk's counts. */
export class WalkMemory {
  constructor(
    private readonly memory = new PeakMemory(),
    private readonly maxBytes = bytesOfQuery('rows'),
  ) {}

  /** Whether further values should be counted together. */
  isShortFor(bytes: number): boolean {
    return bytes > this.maxBytes / 2;
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
