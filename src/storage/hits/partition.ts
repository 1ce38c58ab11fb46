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

  /** The hits of a batch by part, from one to before another one. Who cannot be told is known by the place of the hit. */
  divided(
    batch: HitColumns,
    firstHit: number,
    { from, before }: { from: number; before: number },
  ): HitColumns[] {
    const partOf = this.partsOf(batch, firstHit);
    const sizes = new Uint32Array(this.parts);
    for (let hit = from; hit < before; hit++) sizes[partOf[batch.rowOf[hit]!]!]!++;
    const ofParts = Array.from(sizes, (size) => new Uint32Array(size));
    sizes.fill(0);
    for (let hit = from; hit < before; hit++) {
      const part = partOf[batch.rowOf[hit]!]!;
      ofParts[part]![sizes[part]!++] = hit;
    }
    const decoded = new DecodedOnce(batch);
    return ofParts.map((hits) => new SomeHits(decoded, hits));
  }

  /** Of each visitor row. */
  private partsOf({ hits, rows, rowOf, isKnown, hashes }: HitColumns, firstHit: number): Uint32Array {
    const blocks = Buffer.alloc(BLOCK_BYTES * rows);
    if (hashes)
      for (let row = 0; row < rows; row++)
        hashes.copy(blocks, BLOCK_BYTES * row, VISITOR_BYTES * row, VISITOR_BYTES * (row + 1));
    for (let hit = hits - 1; hit >= 0; hit--) {
      const row = rowOf[hit]!;
      // Batches may be merged between two readings, which changes the numbers of rows, and no place.
      if (!hashes || isKnown[row] === 0)
        blocks.writeBigUInt64LE(BigInt(firstHit + hit + 1), BLOCK_BYTES * row + VISITOR_BYTES);
    }
    const mixed = createCipheriv('aes-128-ecb', this.key, null).setAutoPadding(false).update(blocks);
    return Uint32Array.from({ length: rows }, (_, row) => mixed.readUInt32LE(BLOCK_BYTES * row) % this.parts);
  }
}

/** Columns for many readers. */
class DecodedOnce implements HitColumns {
  readonly hits: number;
  readonly rows: number;
  readonly rowOf: Codes;
  readonly isKnown: Codes;
  readonly hashes: Buffer | undefined;
  readonly isDirect: Codes | undefined;
  private known: Uint32Array | undefined;
  private readonly columns = new Map<ColumnName, DecodedTexts | undefined>();

  constructor(private readonly of: HitColumns) {
    ({
      hits: this.hits,
      rows: this.rows,
      rowOf: this.rowOf,
      isKnown: this.isKnown,
      hashes: this.hashes,
      isDirect: this.isDirect,
    } = of);
  }

  moments(): Uint32Array {
    return (this.known ??= this.of.moments());
  }

  texts(name: ColumnName): DecodedTexts | undefined {
    if (!this.columns.has(name)) {
      const own = this.of.texts(name);
      const size = COLUMNS[name].of === 'hit' ? this.hits : this.rows;
      this.columns.set(name, own && { texts: own.texts, rows: unpacked(own.rows, size) });
    }
    return this.columns.get(name);
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

  get isDirect(): Codes | undefined {
    return this.of.isDirect;
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
