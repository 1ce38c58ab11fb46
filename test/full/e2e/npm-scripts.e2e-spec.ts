import { join } from 'node:path';
import { Child } from '../../support/child';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { SECRET_FILE } from '../../support/secret-file';

const ROOT = join(__dirname, '../../..');

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database.drop());

it.each(['start', 'start:prod'])('npm run %s ends the service on SIGTERM', async (script) => {
  const port = await freePort();
  const npm = new Child('npm', ['run', '-s', script], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      SECRET_FILE,
      PORT: String(port),
    },
  });
  await npm.prints(/is ready at/);
  await npm.stop();
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
});
