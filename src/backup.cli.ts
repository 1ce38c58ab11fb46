import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backUp } from './backup/back-up';
import { move } from './backup/move';
import { restore, restoreToCheck, VOID } from './backup/restore';
import type { Commands, WithServices } from './common/commands/command';
import { Settings } from './config/settings';
import { isLongAgo } from '../engine/database/retention-clock';
import { CommandError } from '../engine/ground/errors';
import { untilInterrupted } from '../engine/ground/interruption';
import { ENTITIES } from './entities';
import { refuseMissing } from './services';
import { verifyAll } from './stats/stats.cli';

const print = (line: string) => process.stdout.write(`${line}\n`);

export const backupCommand: Commands = (command, run, environment) => {
  command
    .option('--to <path>', 'a folder, or a file that does not exist')
    .option('--check <file>', 'restore a backup into a scratch database, verify its statistics, send nothing')
    .action(async ({ to, check: path }: { to?: string; check?: string }) => {
      if ((to === undefined) === (path === undefined)) throw new CommandError('give --to or --check');
      if (to !== undefined) return writeTo(to, new Settings(environment));
      return check(path!, run);
    });
};

async function writeTo(to: string, settings: Settings): Promise<void> {
  refuseMissing(settings.database);
  const path = await backUp(settings, ENTITIES, to);
  print(
    `${path} has everything but the secret, which a restore needs: keep a copy of ${settings.secretFile} apart.`,
  );
}

/** SQLite is there for backups of each kind. */
async function check(path: string, run: WithServices): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-check-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const interruption = untilInterrupted();
  const end = () => {
    process.stderr.write('error: interrupted\n');
    remove();
    process.exit(1);
  };
  interruption.addEventListener('abort', end);
  try {
    const file = join(folder, 'milepost.sqlite');
    const { madeAt, timezone } = await restoreToCheck({ kind: 'sqlite', path: file }, ENTITIES, path);
    await run(verifyAll, {
      DATABASE_URL: `sqlite:${file}`,
      SECRET_FILE: join(folder, 'secret'),
      TIMEZONE: timezone,
    });
    print(`${path} is whole. It was made at ${madeAt}.`);
  } finally {
    interruption.removeEventListener('abort', end);
    remove();
  }
}

export const restoreCommand: Commands = (command, _, environment) => {
  command
    .argument('<file>', 'the backup')
    .option('--new-secret', `restore without the secret of the backup: ${VOID} are void`)
    .action(async (path: string, { newSecret = false }: { newSecret?: boolean }) => {
      const settings = new Settings(environment);
      const { head, hasNewSecret } = await restore(settings, ENTITIES, path, newSecret);
      print(`The database is as it was at ${head.madeAt}. What was due before now is not sent.`);
      if (hasNewSecret)
        print(
          `The secret is that of SECRET_FILE now, so ${VOID} are void. Owners of webhooks renew their secrets.`,
        );
      if (head.timezone !== settings.timezone)
        print(`The backup was made with TIMEZONE=${head.timezone}: set it before you start the service.`);
      if (isLongAgo(Date.parse(head.madeAt), Date.now()))
        print('It is old, so nothing expires until you run "retention confirm".');
    });
};

export const moveCommand: Commands = (command, _, environment) => {
  command
    .requiredOption('--to-env <name>', 'the variable with the address of the new database, which is empty')
    .action(async ({ toEnv }: { toEnv: string }) => {
      if (!environment[toEnv]) throw new CommandError(`the variable ${toEnv} is not set`);
      const settings = new Settings(environment);
      const { database: to } = new Settings({ ...environment, DATABASE_URL: environment[toEnv] });
      if (settings.database.kind !== 'sqlite' || to.kind !== 'mysql')
        throw new CommandError('DATABASE_URL must be of SQLite, and the new database of MySQL or MariaDB');
      refuseMissing(settings.database);
      const rows = await move(settings, ENTITIES, settings.database, to);
      print(
        `All ${rows.toLocaleString('en')} rows are there. Set DATABASE_URL to the address in ${toEnv}, and start the service.`,
      );
    });
};
