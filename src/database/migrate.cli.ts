import type { Commands } from '../common/commands/command';

/** Opening the services runs the migrations. */
export const migrateCommand: Commands = (migrate, run) => {
  migrate.action(async () => {
    await run(() => Promise.resolve());
    process.stdout.write('The database is up to date.\n');
  });
};
