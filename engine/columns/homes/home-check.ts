import { errorCode } from '../../ground/error-code';
import { CommandError } from '../../ground/errors';
import { Log } from '../../ground/log';
import { SettingError } from '../../ground/setting-error';
import type { Database } from '../../database/database';
import type { Moves } from '../../database/hit-settings';
import { problemsOfRows } from '../../rows/row-check';
import { HomeAway } from '../../rows/row-home';
import { type GivenHome, giveHome, noteHome } from './homes';

/** After all that a check writes. */
const OF_CHECKS = { websiteId: 0, day: 2 ** 16 - 1, version: Number.MAX_SAFE_INTEGER };
const ALL_DAYS = { from: 0, to: OF_CHECKS.day };
const LOGGER = new Log('Warehouse');

/** Throws if the database and the settings do not fit where the hits of old days are, or shall be. */
export async function expectHomes(database: Database, moves: Moves | undefined): Promise<void> {
  const given = giveHome(moves);
  await expectNoOtherHome(database, given);
  if (given) await expectHome(database, given);
  else if (moves) expectNone('the database', await problemsOfRows(database));
}

/** A home that answered before may be away: events are accepted all the same. */
async function expectHome(database: Database, given: GivenHome): Promise<void> {
  const [known] = await database.query<unknown[]>('SELECT number FROM hit_homes WHERE number = ?', [
    given.number,
  ]);
  try {
    expectNone('the table of ClickHouse', await given.home.check());
    // The rows of another installation would be removed, because no day of this one names them.
    if (!known && (await given.home.listVersions(ALL_DAYS, 1, OF_CHECKS)).length > 0)
      throw new SettingError(
        'HITS_URL',
        `the table ${given.home.address.table} already has rows of another installation: name another one by "?table="`,
      );
  } catch (error) {
    if (!(error instanceof HomeAway)) throw error;
    if (!known) throw new SettingError('HITS_URL', messageOf(error));
    LOGGER.warn(messageOf(error));
    return;
  }
  if (!known) await noteNewHome(database, given);
}

/** Whatever mark its empty table has is ours. */
async function noteNewHome(database: Database, { number, home }: GivenHome): Promise<void> {
  const mark = await home.readMark();
  await database.write((manager) => noteHome(manager, database.dialect, number, mark));
}

function expectNone(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new SettingError(
    'HITS_URL',
    `${what} cannot keep hits as rows: ${problems.join('; ')}. Unset HITS_URL, or mend the table`,
  );
}

/** What the settings name cannot do, by name. */
export function problemsOf(database: Database, moves: Moves | undefined): Promise<string[]> {
  const given = giveHome(moves);
  return given ? problemsOfHome(given) : problemsOfRows(database);
}

async function problemsOfHome({ home }: GivenHome): Promise<string[]> {
  try {
    return await home.check();
  } catch (error) {
    throw error instanceof HomeAway ? new CommandError(messageOf(error)) : error;
  }
}

function messageOf({ home, cause }: HomeAway): string {
  return `${home} does not answer: ${cause instanceof Error ? cause.message || errorCode(cause) : String(cause)}`;
}

/** Days in another home could not be read, and its rows would stay for ever. */
export async function expectNoOtherHome(database: Database, given: GivenHome | undefined): Promise<void> {
  const others = await database.read((reader) =>
    reader.query<{ number: number; kind: string; host: string; port: number; name: string }[]>(
      'SELECT number, kind, host, port, table_name AS name FROM hit_homes WHERE number <> ?',
      [given?.number ?? 0],
    ),
  );
  for (const { number, kind, host, port, name } of others) {
    const countIn = async (table: 'hit_days' | 'remote_versions') => {
      const rows = await database.query<{ days: number | string }[]>(
        `SELECT COUNT(*) AS days FROM ${table} WHERE home = ?`,
        [number],
      );
      return Number(rows[0]!.days);
    };
    const [days, versions] = [await countIn('hit_days'), await countIn('remote_versions')];
    if (days + versions === 0) continue;
    const there = `the table ${name} of ${kind} at ${host}:${port}, which HITS_URL does not name`;
    throw new SettingError(
      'HITS_URL',
      days > 0
        ? `${days} days are in ${there}. "milepost hits move --back" with the old HITS_URL brings them home`
        : `rows of ${versions} days are left in ${there}. "milepost hits move --back" with the old HITS_URL removes them`,
    );
  }
}
