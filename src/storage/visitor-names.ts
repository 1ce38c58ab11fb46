import { FIELD_PLACES } from './hit';
import type { HitRows } from './hit-rows';
import { BYTES_PER_KNOWN, KnownBytes } from './known-bytes';

const PLACE = FIELD_PLACES.visitor;
/** Its bytes, and the room for more of them. */
const BYTES_PER_VISITOR = BYTES_PER_KNOWN + 44;

/** The numbers of visitors by what they are called within a day, in the order in which they come. */
export class VisitorNames {
  private size = 0;
  private readonly known = new KnownBytes();

  get bytes(): number {
    return BYTES_PER_VISITOR * this.size;
  }

  /** The next number for a visitor who is new, or has no name. */
  of(name: string): number {
    const bytes = Buffer.from(name);
    return this.ofBytes(bytes, 0, bytes.length);
  }

  ofRow(hits: HitRows, row: number): number {
    return this.ofBytes(hits.bytes, hits.begin(row, PLACE), hits.end(row, PLACE));
  }

  private ofBytes(bytes: Buffer, begin: number, end: number): number {
    if (begin === end) return this.size++;
    const known = this.known.find(bytes, begin, end);
    if (known !== 0) return known - 1;
    this.known.add(bytes, begin, end, ++this.size);
    return this.size - 1;
  }
}
