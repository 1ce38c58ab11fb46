import { existsSync } from 'node:fs';
import type { DatabaseAddress } from '../../engine/database/connections/address';
import { serverAt } from '../../engine/database/connections/drivers';
import { whileStarting } from '../../engine/database/connections/waiting-for-server';
import type { DatabaseKind } from '../../engine/database/connections/snapshot';
import { nowOf, type Transaction } from '../../engine/database/rows';
import { CommandError } from '../../engine/ground/errors';
import { untilInterrupted } from '../../engine/ground/interruption';
import { Progress } from '../../engine/ground/progress';
import { readSecretFile } from '../config/secret-file';
import type { Settings } from '../config/settings';
import type { Entities } from '../database/data-source-options';
import type { EntityDatabase } from '../database/entity-database';
import { Secret } from '../database/secret';
import { afterRestore } from '../hits/copied-tables';
import { BackupFile, type BackupHead } from './backup-file';
import { sumOfRows } from './copied-tables';
import { EmptyDatabase, unknownMigration } from './empty-database';
import { inPiecesOfRows } from './pieces';
import { refuseRunningService } from './running-service';
import { endWhatWasDue } from './what-was-due';

const KINDS: Record<DatabaseKind, string> = { sqlite: 'SQLite', mysql: 'MySQL', mariadb: 'MariaDB' };

/** What follows from the secret of an installation. */
export const VOID =
  'sessions, links in mails, cookies of shared pages, Idempotency keys and the secrets of webhooks';

export interface Restored {
  readonly head: BackupHead;
  /** Tells whether what follows from the secret of the backup is void. */
  readonly hasNewSecret: boolean;
}

/** Fills the empty database of the settings from a backup. */
export async function restore(
  settings: Settings,
  entities: Entities,
  path: string,
  mayHaveNewSecret: boolean,
): Promise<Restored> {
  const file = await BackupFile.open(path);
  try {
    const { head } = file;
    await refuseOtherKind(head, settings.database);
    refuseNewer(file);
    const hasNewSecret = isOtherSecret(head, settings.secretFile);
    if (hasNewSecret && !mayHaveNewSecret) throw otherSecret(settings.secretFile);
    await refuseRunningService(settings, settings.database);
    await fill(file, settings.database, entities, async (tx, { dialect }) => {
      await endWhatWasDue(tx, dialect, await nowOf(tx, dialect), head.timezone);
      if (hasNewSecret) await tx.query('DELETE FROM secret_check');
    });
    return { head, hasNewSecret };
  } finally {
    await file.close();
  }
}

/** Fills a scratch database, which may be of another kind. */
export async function restoreToCheck(
  database: DatabaseAddress,
  entities: Entities,
  path: string,
): Promise<BackupHead> {
  const file = await BackupFile.open(path);
  try {
    refuseNewer(file);
    await fill(file, database, entities, async (tx) => {
      await tx.query('DELETE FROM secret_check');
    });
    return file.head;
  } finally {
    await file.close();
  }
}

async function fill(
  file: BackupFile,
  address: DatabaseAddress,
  entities: Entities,
  last: (tx: Transaction, database: EntityDatabase) => Promise<void>,
): Promise<void> {
  const interruption = untilInterrupted();
  const { tables, migrations } = file.head;
  const database = await EmptyDatabase.create(address, entities, migrations.length);
  try {
    if (!database.has(tables)) throw file.damage();
    const progress = new Progress('restored', sumOfRows(tables));
    for (const table of tables)
      for await (const rows of inPiecesOfRows(file.rowsOf(table))) {
        if (interruption.aborted)
          throw new CommandError('interrupted; the database is not complete: run the command again');
        await database.add(table, rows).catch((error: unknown) => {
          const misfit = database.misfitOf(error);
          throw misfit === undefined
            ? error
            : new CommandError(
                `${file.path} is damaged: its rows do not fit the table ${table.name} (${misfit})`,
              );
        });
        progress.advance(rows.length);
      }
    await file.refuseMore();
    await database.finish(tables, async (tx, own) => {
      const now = await nowOf(tx, own.dialect);
      for (const [statement, parameters] of afterRestore(now)) await tx.query(statement, parameters);
      await last(tx, own);
    });
    progress.end();
  } finally {
    await database.close();
  }
}

async function refuseOtherKind({ kind }: BackupHead, database: DatabaseAddress): Promise<void> {
  const own =
    database.kind === 'sqlite' ? 'sqlite' : (await whileStarting(database, () => serverAt(database))).type;
  if (own !== kind)
    throw new CommandError(
      `the backup was made on ${KINDS[kind] ?? 'another database'}, and DATABASE_URL is of ${KINDS[own]}; ` +
        'restore it there, and use "move" to change the kind',
    );
}

function refuseNewer({ path, head: { migrations, version } }: BackupFile): void {
  const unknown = unknownMigration(migrations);
  if (unknown !== undefined)
    throw new CommandError(
      `${path} was made by a newer version of Milepost (${version}, with ${unknown}); restore it with that version`,
    );
}

function isOtherSecret({ secretCheck }: BackupHead, secretFile: string): boolean {
  if (secretCheck === '') return false;
  if (!existsSync(secretFile)) return true;
  return new Secret(readSecretFile(secretFile)).checkValue.toString('base64') !== secretCheck;
}

function otherSecret(secretFile: string): CommandError {
  const state = existsSync(secretFile)
    ? 'has a secret that differs from that of the backup'
    : 'does not exist';
  return new CommandError(
    `${secretFile} ${state}. Bring the secret of the installation that was backed up, or use --new-secret: ` +
      `then ${VOID} are void, and everything else is kept`,
  );
}
