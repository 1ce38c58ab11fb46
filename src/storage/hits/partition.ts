import { createCipheriv, randomBytes } from 'node:crypto';
import { VISITOR_BYTES } from '../../common/visitor-bytes';
import { type Codes, unpacked } from '../code-list';
import { type ColumnName, COLUMNS } from '../hit-columns';
import type { DecodedTexts } from '../part-texts';
import type { HitColumns } from './batch';

const BLOCK_BYTES = 16;

/**
 * Divides the visitors of a day into parts, each with all hits of its visitors. Nobody knows the key, so the part of a
 * visitor tells nothing of the hash, and a next division is another one.
 */
export class Partition {
  private readonly key = randomBytes(BLOCK_BYTES);

  constructor(readonly parts: number) {}

  /** The hits of a batch by part. Who cannot be told from others is known by the batch and the row alone. */
  divided(batch: HitColumns, firstHit: number): HitColumns[] {
    const partOf = this.partsOf(batch, firstHit);
    const sizes = new Uint32Array(this.parts);
    for (let hit = 0; hit < batch.hits; hit++) sizes[partOf[batch.rowOf[hit]!]!]!++;
    const ofParts = Array.from(sizes, (size) => new Uint32Array(size));
    sizes.fill(0);
    for (let hit = 0; hit < batch.hits; hit++) {
      const part = partOf[batch.rowOf[hit]!]!;
      ofParts[part]![sizes[part]!++] = hit;
    }
    return ofParts.map((hits) => new SomeHits(batch, hits));
  }

  /** Of each visitor row. */
  private partsOf({ rows, isKnown, hashes }: HitColumns, firstHit: number): Uint32Array {
    const blocks = Buffer.alloc(BLOCK_BYTES * rows);
    for (let row = 0; row < rows; row++) {
      const at = BLOCK_BYTES * row;
      if (hashes && isKnown[row] === 1) {
        hashes.copy(blocks, at, VISITOR_BYTES * row, VISITOR_BYTES * (row + 1));
      } else {
        blocks.writeUInt32LE(firstHit, at + VISITOR_BYTES);
        blocks.writeUInt32LE(row + 1, at + VISITOR_BYTES + 4);
      }
    }
    const mixed = createCipheriv('aes-128-ecb', this.key, null).setAutoPadding(false).update(blocks);
    return Uint32Array.from({ length: rows }, (_, row) => mixed.readUInt32LE(BLOCK_BYTES * row) % this.parts);
  }
}

/** Some of the hits of a batch, with all of its visitor rows. */
class SomeHits implements HitColumns {
  readonly rowOf: Codes;

  constructor(
    private readonly of: HitColumns,
    private readonly chosen: Uint32Array,
  ) {
    this.rowOf = this.some(of.rowOf);
  }

  get hits(): number {
    return this.chosen.length;
  }

  get rows(): number {
    return this.of.rows;
  }

  get isKnown(): Codes {
    return this.of.isKnown;
  }

  get hashes(): Buffer | undefined {
    return this.of.hashes;
  }

  moments(): Uint32Array {
    return this.some(this.of.moments());
  }

  texts(name: ColumnName): DecodedTexts | undefined {
    const own = this.of.texts(name);
    if (!own || COLUMNS[name].of === 'visitor') return own;
    return { texts: own.texts, rows: this.some(unpacked(own.rows, this.of.hits)) };
  }

  private some(all: Codes): Uint32Array {
    return this.chosen.map((hit) => all[hit]!);
  }
}
