import type { Dialect } from '../../engine/database/dialect';
import type { Transaction } from '../../engine/database/rows';
import type { HitStore } from '../../engine/port';

/** Goals know nothing of webhooks but their table. No other event contains this part of its column `events`. */
export const WANTS_CONVERSIONS = "enabled = 1 AND events LIKE '%goal.reached%'";
/** A transaction stays short. The reader of conversions follows the other websites of an owner with more. */
const WEBSITES_AT_ONCE = 50;

/** Where websites are followed from. */
interface Following {
  readonly store: HitStore;
  readonly dialect: Dialect;
}

/** Follows a website that gets a goal from now on, if its owner wants to know of conversions. */
export function followWithGoal(manager: Transaction, following: Following, websiteId: number): Promise<void> {
  return followWanted(manager, following, 'website.id = ?', websiteId);
}

/** Follows the websites with goals of an owner from now on, if the owner wants to know of conversions. */
export function followWithWebhook(
  manager: Transaction,
  following: Following,
  ownerId: number,
): Promise<void> {
  const hasGoal = 'EXISTS (SELECT 1 FROM goals WHERE goals.website_id = website.id)';
  return followWanted(manager, following, `website.user_id = ? AND ${hasGoal}`, ownerId);
}

/** Also takes those that are followed: their end, which this waits for, may not know of the goal or webhook yet. */
async function followWanted(
  manager: Transaction,
  { store, dialect }: Following,
  condition: string,
  id: number,
): Promise<void> {
  const rows = await manager.query<Record<'id' | 'moment', number | string>[]>(
    `SELECT website.id AS id, ${dialect.now} AS moment FROM websites website WHERE ${condition}
      AND EXISTS (SELECT 1 FROM webhooks WHERE webhooks.user_id = website.user_id AND ${WANTS_CONVERSIONS})
    ORDER BY website.id LIMIT ${WEBSITES_AT_ONCE}`,
    [id],
  );
  for (const row of rows) await store.follow(manager, Number(row.id), Number(row.moment));
}
