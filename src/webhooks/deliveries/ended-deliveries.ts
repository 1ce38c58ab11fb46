import type { Dialect } from '../../../engine/database/dialect';
import { placeholdersFor, type Transaction } from '../../../engine/database/rows';
import { MAX_ENDED } from '../webhook-limits';
import { sizesIndex } from './delivery-size';

/** Disabling a webhook ends many at once; the next additions remove what is too much. */
const REMOVED_AT_ONCE = 20;
const OF_WEBHOOK = "webhook_id = ? AND state IN ('delivered', 'failed')";

type Row = Record<'id' | 'size', number | string>;

/** Call it after a delivery was added, in the same transaction. */
export async function removeOldestEnded(
  manager: Transaction,
  dialect: Dialect,
  webhookId: number,
): Promise<void> {
  const from = `FROM webhook_deliveries ${sizesIndex(dialect)} WHERE ${OF_WEBHOOK}`;
  const [sums] = await manager.query<Record<'ended' | 'bytes', number | string>[]>(
    `SELECT COUNT(*) AS ended, COALESCE(SUM(size_bytes), 0) AS bytes ${from}`,
    [webhookId],
  );
  let ended = Number(sums!.ended);
  let bytes = Number(sums!.bytes);
  const isTooMuch = () => ended > MAX_ENDED.deliveries || bytes > MAX_ENDED.bytes;
  if (!isTooMuch()) return;
  const rows = await manager.query<Row[]>(
    `SELECT id, size_bytes AS size ${from} ORDER BY id LIMIT ${REMOVED_AT_ONCE}`,
    [webhookId],
  );
  const ids: Row['id'][] = [];
  for (const { id, size } of rows) {
    if (!isTooMuch()) break;
    ids.push(id);
    ended--;
    bytes -= Number(size);
  }
  await manager.query(
    `DELETE FROM webhook_deliveries WHERE ${OF_WEBHOOK} AND id IN ${placeholdersFor(ids)}`,
    [webhookId, ...ids],
  );
}
