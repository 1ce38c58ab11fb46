import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { errorCode } from '../../common/error-code';
import { type DatabaseAddress, SettingError } from '../../config/settings';
import { type Entities, mysqlOptions, sqliteOptions } from './data-source-options';
import { serverAt } from './drivers';
import { endsConnection, meaningOnMysql } from './error-meaning';

interface Options {
  patienceMs: number;
  logger: Pick<LoggerService, 'log' | 'warn'>;
}

const CONTEXT = 'Database';
const SILENT: Options['logger'] = { log: () => undefined, warn: () => undefined };

/** Opens the database, and waits for one that is still starting. */
export async function connect(
  address: DatabaseAddress,
  entities: Entities,
  { patienceMs = 60_000, logger = SILENT }: Partial<Options> = {},
): Promise<DataSource> {
  const giveUpAt = performance.now() + patienceMs;
  const isNew = address.kind === 'sqlite' && !existsSync(address.path);
  for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
    try {
      const source = await (await dataSourceFor(address, entities)).initialize();
      if (isNew) logger.log(`Created the database ${placeOf(address)}, which did not exist`, CONTEXT);
      return source;
    } catch (error) {
      const code = errorCode(error);
      if (isRefusedHandshake(error))
        throw new SettingError('DATABASE_URL', `${placeOf(address)} does not pass TLS: ${error.message}`);
      if (address.kind === 'sqlite' || !mayPass(error))
        throw new SettingError('DATABASE_URL', `${placeOf(address)} cannot be used (${code})`);
      if (performance.now() + pause > giveUpAt)
        throw new SettingError(
          'DATABASE_URL',
          `${placeOf(address)} could not be reached (${code}), giving up`,
        );
      logger.warn(
        `${placeOf(address)} cannot be reached (${code}), trying again in ${pause / 1000} s`,
        CONTEXT,
      );
      await sleep(pause);
    }
  }
}

/** Only the driver's message distinguishes a refused certificate from a network failure. */
function isRefusedHandshake(error: unknown): error is Error {
  return errorCode(error).startsWith('HANDSHAKE_') && !/disconnected|reset/.test((error as Error).message);
}

function mayPass(error: unknown): boolean {
  const meaning = meaningOnMysql(error);
  return endsConnection(meaning) || meaning === 'busy';
}

/** The data source of an address, without waiting. TypeORM's command line uses it as is. */
export async function dataSourceFor(address: DatabaseAddress, entities: Entities): Promise<DataSource> {
  return new DataSource(
    address.kind === 'sqlite'
      ? sqliteOptions(address, 'write', entities)
      : mysqlOptions(address, await serverAt(address), entities),
  );
}

function placeOf(address: DatabaseAddress): string {
  return address.kind === 'sqlite' ? address.path : `${address.host}:${address.port}/${address.name}`;
}
