import module from 'node:module';
import { Command } from 'commander';
import { version } from '../package.json';
import { COMMANDS } from './commands';
import { builtFile } from '../engine/ground/threads/built-file';
import { CommandError } from '../engine/ground/errors';
import type { WithServices } from './common/commands/command';
import { SettingError } from '../engine/ground/setting-error';
import { DatabaseUnavailable } from '../engine/database/errors';

/** Output may contain visitors' data and password hashes: no other user of this machine may read it. */
process.umask(0o077);

const program = new Command('milepost')
  .description('Runs the service, or a command if one is named.')
  .version(version)
  .showHelpAfterError(false);

async function main(parameters: string[]): Promise<void> {
  if (parameters.length === 0) return void (await import('./main.js'));
  keepCompiledCode();
  endWithReader();
  for (const [name, { description, commands, modules, createsDatabase = false }] of Object.entries(
    COMMANDS,
  )) {
    const command = program.command(name).description(description);
    if (parameters[0] !== name) continue;
    const run: WithServices = async (work, otherSettings = {}) => {
      const { withServices } = await import('./services.js');
      return withServices({ ...process.env, ...otherSettings }, await modules(), createsDatabase, work);
    };
    (await commands())(command, run, process.env);
  }
  await program.parseAsync(parameters, { from: 'user' });
}

main(process.argv.slice(2)).catch((error: Error) => {
  const expected = [CommandError, SettingError, DatabaseUnavailable].some((kind) => error instanceof kind);
  process.stderr.write(`error: ${expected ? error.message : (error.stack ?? error.message)}\n`);
  process.exitCode = 1;
});

/** For a reader that stops early, as in `key list … | head -1`. */
function endWithReader(): void {
  if (process.stdout.listenerCount('error') > 0) return;
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
}

/** Loading code takes most of a command's time. Node 20 has no compile cache. */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => void };
  enableCompileCache?.(builtFile('.compiled'));
}
