import { InvalidFields } from '../../common/problem';

/** More than the conditions of one filter take, however many values the website has. */
const MAX_BYTES = 96 * 1024 * 1024;

/** Bounds what the conditions of one request take, each of which keeps a byte for each value of its name. */
export class FilterMemory {
  private used = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  take(bytes: number): void {
    this.used += bytes;
    if (this.used > this.maxBytes)
      throw new InvalidFields({
        filters: ['are too expensive; send fewer conditions or fewer queries'],
      });
  }
}
