import { bytesOfQuery } from '../../ground/memory/memory-limits';
import { InvalidFields } from '../../ground/errors';

/** Limits the memory of a request's conditions. Each has a byte for each value of its name. */
export class FilterMemory {
  private used = 0;

  constructor(
    private readonly maxBytes = bytesOfQuery('filters'),
    /** Takes memory of the shared pool. Throws if too little is left. */
    private readonly takeShared: (bytes: number) => void = () => undefined,
  ) {}

  take(bytes: number): void {
    this.used += bytes;
    if (this.used > this.maxBytes)
      throw new InvalidFields({
        filters: [
          'are too expensive, with those of goals; send fewer conditions or queries, or filter by one goal at a time',
        ],
      });
    this.takeShared(bytes);
  }
}
