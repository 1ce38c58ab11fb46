import type { Dialect } from '../../../engine/database/dialect';

/** Created before the first migration, which runs under a lease. */
export function leasesTable({ columns, tableOptions }: Dialect): string {
  return `CREATE TABLE IF NOT EXISTS leases (
    name ${columns.text(190)} NOT NULL PRIMARY KEY,
    owner ${columns.text(64)} NOT NULL,
    token ${columns.bigint} NOT NULL,
    expires_at ${columns.bigint} NOT NULL
  ) ${tableOptions('clustered')}`;
}
