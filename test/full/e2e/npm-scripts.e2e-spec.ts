import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { SECRET_FILE } from '../../support/secret-file';

const ROOT = join(__dirname, '../../..');

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database.drop());

it.each(['start', 'start:prod'])('npm run %s ends the service on SIGTERM', async (script) => {
  const port = await freePort();
  const npm = spawn('npm', ['run', '-s', script], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      SECRET_FILE,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(npm, 'close');
  let printed = '';
  const ready = new Promise<void>((resolve, reject) => {
    npm.stdout.on('data', (data) => (printed += String(data)).includes('is ready at') && resolve());
    npm.on('close', () => reject(new Error(`it ended early: ${printed}`)));
  });
  await ready;
  npm.kill('SIGTERM');
  await ended;
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
});
