import { bytesOfQuery } from '../../../common/memory/pools';
import { InvalidFields } from '../../../common/problem';

/** Bounds what the conditions of one request take, each of which keeps a byte for each value of its name. */
export class FilterMemory {
  private used = 0;

  constructor(
    private readonly maxBytes = bytesOfQuery('filters'),
    /** Takes of the memory that queries share; throws where others leave too little. */
    private readonly takeShared: (bytes: number) => void = () => undefined,
  ) {}

  take(bytes: number): void {
    this.used += bytes;
    if (this.used > this.maxBytes)
      throw new InvalidFields({
        filters: ['are too expensive; send fewer conditions or fewer queries'],
      });
    this.takeShared(bytes);
  }
}
