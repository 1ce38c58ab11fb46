import type { DataSource } from 'typeorm';
import { dialectOf } from '../../engine/database/dialect';
import { CommandError } from '../../engine/ground/errors';
import { findPending, refuseUnknownTables } from '../database/schema';

/** A command that copies a database does not change its tables. */
export async function refuseOtherVersion(source: DataSource): Promise<void> {
  const dialect = dialectOf(source);
  await refuseUnknownTables(source, dialect);
  if ((await findPending(source, dialect)) !== undefined)
    throw new CommandError(
      'the database is of an older version of Milepost; use that version, or start this one first',
    );
}
