import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../ground/error-code';
import { Log } from '../../ground/log';
import { Counter } from '../../ground/measures';
import { SettingError } from '../../ground/setting-error';
import type { DatabaseAddress } from './address';
import type { Dialect } from '../dialect';
import { DatabaseUnavailable } from '../errors';
import { adviceFor, endsConnection, type ErrorMeaning, meaningOnMysql } from './error-meaning';

const ATTEMPTS = 5;
const BUSY_PAUSE_MS = 100;

const ERRORS = new Counter(
  'database_errors_total',
  'Failed attempts at work in the database, by what the error means.',
  ['meaning'],
);

/** Retries work after conflicts with other transactions, until its time is up. */
export async function retrying<T>(
  { meaningOf }: Dialect,
  patienceMs: number,
  attempted: (deadline: number) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attempted(deadline);
    } catch (error) {
      const meaning = meaningOf(error);
      ERRORS.add(1, meaning);
      const pauseMs = pauseBeforeRetry(meaning, attempt);
      if (pauseMs !== undefined && performance.now() + pauseMs < deadline) await sleep(pauseMs);
      else if (meaning === 'ours' || meaning === 'duplicate') throw error;
      else throw new DatabaseUnavailable(error);
    }
  }
}

/** Undefined if a retry is useless. */
function pauseBeforeRetry(meaning: ErrorMeaning, attempt: number): number | undefined {
  if (meaning === 'busy') return BUSY_PAUSE_MS * (0.5 + Math.random());
  if (meaning === 'conflict' && attempt < ATTEMPTS) return Math.random() * 20 * attempt;
  return undefined;
}

export const log = new Log('Database');

/** Opens a database again and again while it is still starting. */
export async function whileStarting<T>(
  address: DatabaseAddress,
  open: () => Promise<T>,
  patienceMs = 60_000,
): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
    try {
      return await open();
    } catch (error) {
      if (error instanceof SettingError) throw error;
      const code = errorCode(error);
      if (isRefusedHandshake(error))
        throw new SettingError('DATABASE_URL', `${placeOf(address)} does not pass TLS: ${error.message}`);
      if (address.kind === 'sqlite' || !mayPass(error))
        throw new SettingError(
          'DATABASE_URL',
          [`${placeOf(address)} cannot be used (${code})`, adviceFor(error)].filter(Boolean).join('; '),
        );
      if (performance.now() + pause > giveUpAt)
        throw new SettingError(
          'DATABASE_URL',
          `${placeOf(address)} could not be reached (${code}), giving up`,
        );
      log.warn(`${placeOf(address)} cannot be reached (${code}), trying again in ${pause / 1000} s`);
      await sleep(pause);
    }
  }
}

/** Only the driver's message distinguishes a refused certificate from a network failure. */
function isRefusedHandshake(error: unknown): error is Error {
  return errorCode(error).startsWith('HANDSHAKE_') && !/disconnected|reset/.test((error as Error).message);
}

function mayPass(error: unknown): boolean {
  if (adviceFor(error) !== undefined) return false;
  const meaning = meaningOnMysql(error);
  return endsConnection(meaning) || meaning === 'busy';
}

export function placeOf(address: DatabaseAddress): string {
  return address.kind === 'sqlite' ? address.path : `${address.host}:${address.port}/${address.name}`;
}
