import { Command } from 'commander';
import { createContext } from './app';
import { CommandError, type WithServices } from './common/command';
import { StructuredLogger } from './common/logger';
import { DatabaseUnavailable } from './database/errors';
import { SettingError, Settings } from './config/settings';
import { statsCommands } from './counting/stats.cli';
import { migrateCommand } from './database/migrate.cli';
import { demoCommand } from './tracking/demo.cli';
import { keyCommands } from './users/keys.cli';
import { userCommands } from './users/users.cli';

const withServices: WithServices = async (work, parts = 'without tracking') => {
  const settings = new Settings(process.env);
  const services = await createContext(settings, new StructuredLogger(settings.logLevel, 'stderr'), parts);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
};

const program = new Command('milepost')
  .description('The command line of Milepost.')
  .showHelpAfterError(false);
for (const add of [userCommands, keyCommands, statsCommands, demoCommand, migrateCommand])
  add(program, withServices);

program.parseAsync().catch((error: Error) => {
  const expected = [CommandError, SettingError, DatabaseUnavailable].some((kind) => error instanceof kind);
  process.stderr.write(`error: ${expected ? error.message : (error.stack ?? error.message)}\n`);
  process.exitCode = 1;
});
