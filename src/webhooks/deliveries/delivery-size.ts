import type { Dialect } from '../../database/dialect';

export const MIB = 1024 * 1024;

/** What a delivery takes in its table. */
export function deliverySize(body: string, answersAsJson: string): number {
  return Buffer.byteLength(body) + Buffer.byteLength(answersAsJson);
}

/** The index that has the sizes. In SQLite, a row has its size behind its texts, which would be read on the way. */
export function sizesIndex(dialect: Dialect): string {
  return dialect.useIndex('webhook_deliveries_by_size', 'webhook_deliveries_by_size');
}
