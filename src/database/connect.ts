import { existsSync } from 'node:fs';
import { DataSource } from 'typeorm';
import type { DatabaseAddress } from '../../engine/database/connections/address';
import { type Entities, mysqlOptions, sqliteOptions } from './data-source-options';
import { serverAt } from '../../engine/database/connections/drivers';
import { log, placeOf, whileStarting } from '../../engine/database/connections/waiting-for-server';

/** Opens the database, and waits for one that is still starting. */
export async function connect(
  address: DatabaseAddress,
  entities: Entities,
  patienceMs?: number,
): Promise<DataSource> {
  const isNew = address.kind === 'sqlite' && !existsSync(address.path);
  const open = async () => (await dataSourceFor(address, entities)).initialize();
  const source = await whileStarting(address, open, patienceMs);
  if (isNew) log.log(`Created the database ${placeOf(address)}, which did not exist`);
  return source;
}

/** The data source of an address, without waiting. TypeORM's command line has a kind of its own. */
export async function dataSourceFor(
  address: DatabaseAddress,
  entities: Entities,
  Source = DataSource,
): Promise<DataSource> {
  return new Source(
    address.kind === 'sqlite'
      ? sqliteOptions(address, 'write', entities)
      : mysqlOptions(address, await serverAt(address), entities),
  );
}
