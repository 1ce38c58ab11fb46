import type { Hit } from '../../src/storage/hit';
import type { HitColumns } from '../../src/storage/batches/batch';
import { BatchBuilder } from '../../src/storage/batches/batch-builder';

/** Hits in the memory format of a batch. */
export function columnsOf(hits: readonly Hit[]): HitColumns {
  const builder = new BatchBuilder();
  builder.add(hits);
  return builder.columns();
}
