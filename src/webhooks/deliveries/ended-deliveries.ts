import type { EntityManager } from 'typeorm';
import { placesFor } from '../../database/rows';

/** The most ended deliveries that a webhook keeps. */
const MAX_ENDED = 2000;
/** Disabling a webhook ends many at once; the next additions remove what is too much. */
const REMOVED_AT_ONCE = 20;
const OF_WEBHOOK = "FROM webhook_deliveries WHERE webhook_id = ? AND state IN ('delivered', 'failed')";

/** Call it after a delivery was added, in the same transaction. */
export async function removeOldestEnded(manager: EntityManager, webhookId: number): Promise<void> {
  const [count] = await manager.query<{ ended: number | string }[]>(
    `SELECT COUNT(*) AS ended ${OF_WEBHOOK}`,
    [webhookId],
  );
  const tooMany = Math.min(Number(count!.ended) - MAX_ENDED, REMOVED_AT_ONCE);
  if (tooMany <= 0) return;
  const rows = await manager.query<{ id: number | string }[]>(
    `SELECT id ${OF_WEBHOOK} ORDER BY id LIMIT ${tooMany}`,
    [webhookId],
  );
  const ids = rows.map(({ id }) => id);
  await manager.query(`DELETE ${OF_WEBHOOK} AND id IN ${placesFor(ids)}`, [webhookId, ...ids]);
}
