import { createHash } from 'node:crypto';
import { ClickhouseDays } from '../../clickhouse/clickhouse-days';
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

/** A remote home with its number. */
export interface GivenHome {
  readonly number: number;
  readonly home: RemoteHome;
}

/** Each thread is given the home of the settings. Undefined if they name none. */
export function giveHome(moves: Moves | undefined): GivenHome | undefined {
  if (!moves?.home) return undefined;
  const number = homeNumber(moves.home);
  const home = GIVEN.get(number) ?? new ClickhouseDays(moves.home);
  GIVEN.set(number, home);
  return { number, home };
}

/** The number under which days move. */
export function destinationOf({ home }: Moves): number {
  return home ? homeNumber(home) : HOMES.rows;
}

/** The home of a day that has moved. */
export function homeOf(number: number): RowHome {
  if (number === HOMES.rows) return ROWS_HERE;
  const home = GIVEN.get(number);
  if (!home) throw new HomeAway('a home that HITS_URL does not name', undefined);
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
    `${dialect.insertIfMissing} hit_homes (number, kind, host, port, database_name, table_name, mark)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [number, kind, host, port, database, table, mark],
  );
}

/** Call it once a move fails because its destination does not answer. */
export function restFromMoving(): void {
  restsUntil = performance.now() + RESTS.ms;
}

export function isResting(): boolean {
  return performance.now() < restsUntil;
}

export function isRemote(home: number): boolean {
  return home > HOMES.rows;
}

/** The same for each process, so that none has to be asked. It is larger than those of the service's own database. */
function homeNumber({ kind, host, port, database, table }: HomeAddress): number {
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, host, port, database, table]))
    .digest();
  return (hash.readUInt32BE(0) % (2 ** 31 - 16)) + 16;
}
