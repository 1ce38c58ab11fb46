import { SettingError } from '../engine/ground/setting-error';
import { Settings } from './config/settings';

/** Output may contain visitors' data and password hashes: no other user of this machine may read it. */
process.umask(0o077);

/** Reports a wrong setting before it loads the service, which takes longer. */
async function start(): Promise<void> {
  const settings = new Settings(process.env);
  const { serve } = await import('./serve.js');
  await serve(settings);
}

start().catch((error: Error) => {
  const message = error instanceof SettingError ? error.message : (error.stack ?? error.message);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
