import type { Hit } from '../../engine/hits/hit';
import type { HitColumns } from '../../engine/columns/batches/batch';
import { BatchBuilder } from '../../engine/columns/batches/batch-builder';

/** Hits in the memory format of a batch. */
export function columnsOf(hits: readonly Hit[]): HitColumns {
  const builder = new BatchBuilder();
  builder.add(hits);
  return builder.columns();
}
