import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { type DatabaseAddress, SettingError } from '../config/settings';
import {
  credentials,
  type Entities,
  type MysqlAddress,
  mysqlOptions,
  type ServerKind,
  sqliteOptions,
} from './data-source-options';
import { mysql } from './dialect';
import { errorCode } from '../common/error-code';

const logger = new Logger('Database');

/** Opens the database, waiting for one that is still starting. */
export async function connect(
  address: DatabaseAddress,
  entities: Entities,
  patienceMs = 60_000,
): Promise<DataSource> {
  const giveUpAt = Date.now() + patienceMs;
  for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
    try {
      return await (await dataSourceFor(address, entities)).initialize();
    } catch (error) {
      const code = errorCode(error);
      if (address.kind === 'sqlite' || !mysql.isUnavailable(code))
        throw new SettingError('DATABASE_URL', `${placeOf(address)} cannot be used (${code})`);
      if (Date.now() + pause > giveUpAt)
        throw new SettingError(
          'DATABASE_URL',
          `${placeOf(address)} could not be reached (${code}), giving up`,
        );
      logger.warn(`${placeOf(address)} cannot be reached (${code}), trying again in ${pause / 1000} s`);
      await sleep(pause);
    }
  }
}

/** The data source of an address, without any wait; TypeORM's command line takes it as it is. */
export async function dataSourceFor(address: DatabaseAddress, entities: Entities): Promise<DataSource> {
  return new DataSource(
    address.kind === 'sqlite'
      ? sqliteOptions(address, 'write', entities)
      : mysqlOptions(address, await serverKind(address), entities),
  );
}

/** TypeORM takes MariaDB's column defaults for changes unless it is told which server it talks to. */
async function serverKind(address: MysqlAddress): Promise<ServerKind> {
  const connection = await createConnection(credentials(address));
  try {
    const [rows] = await connection.query('SELECT VERSION() AS version');
    const [{ version }] = rows as [{ version: string }];
    return /mariadb/i.test(version) ? 'mariadb' : 'mysql';
  } finally {
    connection.destroy();
  }
}

function placeOf(address: DatabaseAddress): string {
  return address.kind === 'sqlite' ? address.path : `${address.host}:${address.port}/${address.name}`;
}
