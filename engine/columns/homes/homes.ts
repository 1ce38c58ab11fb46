import { createHash } from 'node:crypto';
import { ClickhouseDays } from '../../clickhouse/clickhouse-days';
import type { Database } from '../../database/database';
import type { Dialect } from '../../database/dialect';
import type { Transaction } from '../../database/rows';
import type { HomeAddress, Moves } from '../../database/hit-settings';
import { ROWS_HERE } from '../../rows/row-days';
import { HomeAway, type RemoteHome, type RowHome } from '../../rows/row-home';
import { HOMES } from '../segments/hit-segments';

/** Remote homes of this thread, by number. A service has at most one. */
const GIVEN = new Map<number, RemoteHome>();

/** Days are not moved for so long after a home did not answer, so that other work on days goes on. */
export const RESTS = { ms: 5 * 60_000 };
let restsUntil = -Infinity;

/** A question has to ask a remote home, and was not let through to it. */
export class NeedsHome extends Error {}

/** Tells whether the question of this thread may ask a remote home, whose answers take long. */
let mayAsk = true;

/** For threads that answer questions. Others may always ask. */
export function letAsk(isLet: boolean): void {
  mayAsk = isLet;
}

/** It has no row of any day, which readers find. */
const NOWHERE: RowHome = {
  readPage: () => Promise.resolve([]),
  readSums: () => Promise.resolve({ hits: 0, places: 0 }),
  writer: () => {
    throw new Error('hits are lost on purpose');
  },
};

/** A remote home with its number. */
export interface GivenHome {
  readonly number: number;
  readonly home: RemoteHome;
}

/** Each thread is given the home of the settings. Undefined if they name none. */
export function giveHome(moves: Moves | undefined, hangsUntil?: Int32Array): GivenHome | undefined {
  if (!moves?.home) return undefined;
  const number = homeNumber(moves.home);
  const home = GIVEN.get(number) ?? new ClickhouseDays(moves.home, hangsUntil);
  GIVEN.set(number, home);
  return { number, home };
}

/** Ends what waits for the home, for a process that ends. */
export function stopHome({ number, home }: GivenHome): void {
  home.stop();
  GIVEN.delete(number);
}

/** The number under which days move. */
export function destinationOf({ home }: Moves): number {
  return home ? homeNumber(home) : HOMES.rows;
}

/** The home of a day that has moved. */
export function homeOf(number: number): RowHome {
  if (number === HOMES.rows) return ROWS_HERE;
  if (number === HOMES.lost) return NOWHERE;
  const home = GIVEN.get(number);
  if (!home) throw new HomeAway('a home that HITS_URL does not name', undefined);
  if (!mayAsk) throw new NeedsHome();
  return home;
}

/** Call it before a day is named there: a process does not start without the homes of all days. */
export async function noteHome(
  manager: Transaction,
  dialect: Dialect,
  number: number,
  mark = '',
): Promise<void> {
  const { kind, host, port, database, table } = GIVEN.get(number)!.address;
  await manager.query(
    `${dialect.insertIfMissing} hit_homes (number, kind, host, port, database_name, table_name, mark, is_coming_home)
    VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
    [number, kind, host, port, database, table, mark],
  );
}

/** While days come home by a command, none moves away again. */
export async function noteComingHome(database: Database, number: number, isComing: boolean): Promise<void> {
  await database.execute('UPDATE hit_homes SET is_coming_home = ? WHERE number = ?', [
    isComing ? 1 : 0,
    number,
  ]);
}

export async function areComingHome(database: Database, number: number): Promise<boolean> {
  const rows = await database.query<unknown[]>(
    'SELECT 1 FROM hit_homes WHERE number = ? AND is_coming_home = 1',
    [number],
  );
  return rows.length > 0;
}

/** Call it once a move fails because its destination does not answer. */
export function restFromMoving(): void {
  restsUntil = performance.now() + RESTS.ms;
}

export function isResting(): boolean {
  return performance.now() < restsUntil;
}

/** The same for each process, so that none has to be asked. It is larger than those of the service's own database. */
function homeNumber({ kind, host, port, database, table }: HomeAddress): number {
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, host, port, database, table]))
    .digest();
  return (hash.readUInt32BE(0) % (2 ** 31 - 16)) + 16;
}
