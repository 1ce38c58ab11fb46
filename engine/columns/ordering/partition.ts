import { createCipheriv, randomBytes } from 'node:crypto';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import type { HitColumns } from '../batches/batch';

const BLOCK_BYTES = 16;

/**
 * Divides the visitors of a day into partitions. A partition has all hits of its visitors. The key is random and never
 * stored, so a partition reveals nothing about a hash, and each division differs.
 */
export class Partition {
  private readonly key = randomBytes(BLOCK_BYTES);

  constructor(readonly partitions: number) {}

  /** The partition of each visitor row. An unknown visitor is divided by the place of the hit. */
  of({ hits, rows, rowOf, isKnown, hashes }: HitColumns, firstHit: number): Uint32Array {
    const blocks = Buffer.alloc(BLOCK_BYTES * rows);
    if (hashes)
      for (let row = 0; row < rows; row++)
        hashes.copy(blocks, BLOCK_BYTES * row, VISITOR_BYTES * row, VISITOR_BYTES * (row + 1));
    for (let hit = hits - 1; hit >= 0; hit--) {
      const row = rowOf[hit]!;
      if (!hashes || isKnown[row] === 0)
        blocks.writeUInt32LE(firstHit + hit + 1, BLOCK_BYTES * row + VISITOR_BYTES);
    }
    const mixed = createCipheriv('aes-128-ecb', this.key, null).setAutoPadding(false).update(blocks);
    const partitionOf = new Uint32Array(rows);
    for (let row = 0; row < rows; row++)
      partitionOf[row] = mixed.readUInt32LE(BLOCK_BYTES * row) % this.partitions;
    return partitionOf;
  }
}
