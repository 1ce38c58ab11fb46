import { createHash } from 'node:crypto';
import type { MysqlAddress, SqliteAddress } from '../../engine/database/connections/address';
import {
  openFileAlone,
  openSnapshot,
  type Snapshot,
  type StoredValue,
} from '../../engine/database/connections/snapshot';
import { CommandError } from '../../engine/ground/errors';
import { untilInterrupted } from '../../engine/ground/interruption';
import { Progress } from '../../engine/ground/progress';
import type { Settings } from '../config/settings';
import { connect } from '../database/connect';
import type { Entities } from '../database/data-source-options';
import { migrations } from '../database/migrations/index';
import { lineOf } from './backup-file';
import { allTables, type CopiedTable, sumOfRows } from './copied-tables';
import { refuseOtherVersion } from './current-version';
import { EmptyDatabase } from './empty-database';
import { inPiecesOfRows } from './pieces';
import { refuseRunningService } from './running-service';

const BITS = 64;

/** Copies a stopped installation from SQLite to a server, with everything, and compares the two. Returns the number of rows. */
export async function move(
  settings: Pick<Settings, 'host' | 'port'>,
  entities: Entities,
  from: SqliteAddress,
  to: MysqlAddress,
): Promise<number> {
  await refuseRunningService(settings, to);
  const source = await connect(from, entities);
  await refuseOtherVersion(source).finally(() => source.destroy());
  const file = openFileAlone(from.path);
  if (!file) throw new CommandError(`another process has ${from.path} open; stop the service first`);
  try {
    return await fill(file, to, entities);
  } finally {
    file.close();
  }
}

async function fill(file: Snapshot, to: MysqlAddress, entities: Entities): Promise<number> {
  const interruption = untilInterrupted();
  const refuseInterrupted = () => {
    if (interruption.aborted)
      throw new CommandError('interrupted; the new database is not complete: run the command again');
  };
  const database = await EmptyDatabase.create(to, entities, migrations.length);
  try {
    const tables = await allTables(database.metadata, file, refuseInterrupted);
    const rows = sumOfRows(tables);
    const copying = new Progress('copied', rows);
    const sums = new Map<string, bigint>();
    for (const table of tables) {
      const sum = new SumOfRows();
      for await (const piece of inPiecesOfRows(table.values())) {
        refuseInterrupted();
        await database.add(table, piece);
        for (const row of piece) sum.add(row);
        copying.advance(piece.length);
      }
      sums.set(table.name, sum.value);
    }
    copying.end();
    const comparing = new Progress('compared', rows);
    const stored = await openSnapshot(to);
    try {
      for (const table of await allTables(database.metadata, stored, refuseInterrupted)) {
        const sum = await sumOf(table, (some) => comparing.advance(some), refuseInterrupted);
        if (sum !== sums.get(table.name))
          throw new CommandError(`the copy of the table ${table.name} differs; run the command again`);
      }
    } finally {
      stored.close();
    }
    await database.finish(tables, () => Promise.resolve());
    comparing.end();
    return rows;
  } finally {
    await database.close();
  }
}

async function sumOf(
  table: CopiedTable,
  advance: (rows: number) => void,
  check: () => void,
): Promise<bigint> {
  const sum = new SumOfRows();
  for await (const row of table.values()) {
    check();
    sum.add(row);
    advance(1);
  }
  return sum.value;
}

/** A sum of hashes: the same for the same rows in any order. */
class SumOfRows {
  value = 0n;

  /** Drivers return large numbers as texts. */
  add(row: readonly StoredValue[]): void {
    const line = lineOf(row.map((value) => (typeof value === 'number' ? String(value) : value)));
    const hash = createHash('sha256').update(line).digest().readBigUInt64LE();
    this.value = BigInt.asUintN(BITS, this.value + hash);
  }
}
