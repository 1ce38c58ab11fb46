import type { Dialect } from '../../../engine/database/dialect';
import { MIB } from '../webhook-limits';
import { inPieces, type Transaction } from '../../../engine/database/rows';

/** What one transaction changes: in SQLite, the thread that takes events writes the texts of all of them. */
const MAX_CHANGED = 50;
const MAX_CHANGED_BYTES = MIB;
/** Between transactions that change as much. */
export const BETWEEN_CHANGES_MS = 20;

/** What a delivery takes in its table. */
export function deliverySize(body: string, answersAsJson: string): number {
  return Buffer.byteLength(body) + Buffer.byteLength(answersAsJson);
}

/** The index that has the sizes. In SQLite, a row has its size behind its texts, which would be read on the way. */
export function sizesIndex(dialect: Dialect): string {
  return dialect.useIndex('webhook_deliveries_by_size', 'webhook_deliveries_by_size');
}

/** The ids of some deliveries, few enough to be changed at once. */
export async function findSome(
  manager: Transaction,
  conditionAndOrder: string,
  parameters: unknown[],
): Promise<(number | string)[]> {
  const rows = await manager.query<Record<'id' | 'size', number | string>[]>(
    `SELECT id, size_bytes AS size FROM webhook_deliveries WHERE ${conditionAndOrder} LIMIT ${MAX_CHANGED}`,
    parameters,
  );
  const [some = []] = inPieces(rows, MAX_CHANGED, MAX_CHANGED_BYTES, ({ size }) => Number(size));
  return some.map(({ id }) => id);
}
