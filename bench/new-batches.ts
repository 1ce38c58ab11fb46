import { DAY_MS } from '../engine/ground/time/days';
import type { Insertion } from '../engine/database/rows';
import { encodeBatch } from '../engine/columns/batches/batch';
import { BatchBuilder } from '../engine/columns/batches/batch-builder';
import type { NewBatch } from '../engine/columns/batches/batches';
import type { Hit } from '../engine/hits/hit';
import { SEALED_AFTER_MS } from './asking';

/** The number of hits in merged batches. */
export const BATCH_HITS = 16_000;

/** The hits of a day, in the order of time, as batches. */
export async function newBatches(
  { websiteId, day, forgetAt }: { websiteId: number; day: number; forgetAt: number },
  chunks: Iterable<readonly Hit[]>,
): Promise<NewBatch[]> {
  const batches: NewBatch[] = [];
  let firstHit = 0;
  for (const some of chunks) {
    const builder = new BatchBuilder();
    builder.add(some);
    const key = { websiteId, day, firstHit, size: some.length };
    const encoded = await encodeBatch(key, builder.columns());
    const moments = { lastAt: some.at(-1)!.at, forgetAt };
    batches.push({ ...key, ...moments, encoded, bytes: encoded.bytes, storedBytes: encoded.data.length });
    firstHit += some.length;
  }
  return batches;
}

/** What the service knows of websites whose only hits are those of an open day. */
export function stateOfOpenDay(websiteIds: readonly number[], day: number): Insertion[] {
  return [
    {
      table: 'counting',
      columns: ['website_id', 'owner', 'token', 'expires_at', 'folds', 'archived_from'],
      rows: websiteIds.map((websiteId) => [websiteId, '', 10, 0, 3, 0]),
    },
    {
      table: 'closed_days',
      columns: [
        ...['website_id', 'closed_before', 'version', 'rollups', 'epoch'],
        ...['sealed_before', 'columns_before', 'due_at'],
      ],
      rows: websiteIds.map((websiteId) => [
        ...[websiteId, day, 0, 0, 0],
        ...[day, day - 1, (day + 1) * DAY_MS + SEALED_AFTER_MS],
      ]),
    },
  ];
}
