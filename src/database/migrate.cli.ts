import type { Commands } from '../common/command';

/** Opening the services migrates, so the command only has to tell. */
export const migrateCommand: Commands = (program, run) => {
  program
    .command('migrate')
    .description('bring the tables of the database up to date; the service does the same at its start')
    .action(async () => {
      await run(() => Promise.resolve());
      process.stdout.write('The database is up to date.\n');
    });
};
