import { version } from '../../package.json';
import { openSnapshot, type Snapshot } from '../../engine/database/connections/snapshot';
import { dialectOf } from '../../engine/database/dialect';
import { nowOf } from '../../engine/database/rows';
import { errorCode } from '../../engine/ground/error-code';
import { CommandError } from '../../engine/ground/errors';
import { untilInterrupted } from '../../engine/ground/interruption';
import { Progress } from '../../engine/ground/progress';
import type { Settings } from '../config/settings';
import { connect } from '../database/connect';
import type { Entities } from '../database/data-source-options';
import { migrations } from '../database/migrations/index';
import { headOf, linesOf } from './backup-file';
import { sumOfRows, tablesOfBackup } from './copied-tables';
import { refuseOtherVersion } from './current-version';
import { placeFor, writeNewFile } from './new-file';

/** Writes a backup of one moment, while the service runs or not. Returns the path of its file. */
export async function backUp(settings: Settings, entities: Entities, to: string): Promise<string> {
  const interruption = untilInterrupted();
  const source = await connect(settings.database, entities);
  let snapshot: Snapshot | undefined;
  try {
    await refuseOtherVersion(source);
    const madeAt = new Date(await nowOf(source, dialectOf(source))).toISOString();
    const path = await placeFor(to, madeAt);
    snapshot = await openSnapshot(settings.database);
    const tables = await tablesOfBackup(source, snapshot, () => interruption.throwIfAborted());
    const head = headOf(
      {
        ...{ version, kind: snapshot.kind, madeAt, timezone: settings.timezone },
        migrations: migrations.map(({ name }) => name),
        secretCheck: await secretCheckOf(snapshot),
      },
      tables,
    );
    const progress = new Progress('backed up', sumOfRows(tables));
    await writeNewFile(
      path,
      linesOf(head, tables, (rows) => progress.advance(rows)),
      interruption,
    );
    progress.end();
    return path;
  } catch (error) {
    if (interruption.aborted) throw new CommandError('interrupted; nothing was written');
    if (!('fatal' in (error as object))) throw error;
    throw new CommandError(`the database ended the backup (${errorCode(error)}); make it again`);
  } finally {
    snapshot?.close();
    await source.destroy();
  }
}

async function secretCheckOf(snapshot: Snapshot): Promise<string> {
  for await (const [value] of snapshot.rows('SELECT check_value FROM secret_check'))
    return (value as Buffer).toString('base64');
  return '';
}
