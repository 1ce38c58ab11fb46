import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type Service, startService } from '../support/programs';
import { SECRET_FILE } from '../support/secret-file';

const ROOT = join(__dirname, '../..');
const KEY = 'the-key-of-the-documentation';
/** Those that install, start or test something have tests of their own. */
const NOT_RUN = /npm (ci|test)/;
const PREPARATION = `
set -euo pipefail
curl() { command curl -sS --fail-with-body "$@"; }
npm() { command npm --prefix "${ROOT}" "$@"; }
`;

/** Commands start as processes of their own, each of which loads the service. */
jest.setTimeout(600_000);

let database: FreshDatabase;
let service: Service;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startService({ DATABASE_URL: database.url, BOOTSTRAP_API_KEY: KEY });
  folder = mkdtempSync(join(tmpdir(), 'milepost-documentation-'));
});
afterAll(async () => {
  await service.program.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** The commands of a file, as a reader would enter them. */
function commandsOf(file: string): string[] {
  const blocks = readFileSync(join(ROOT, file), 'utf8').matchAll(/```sh\n(.*?)```/gs);
  return [...blocks].map(([, block]) => block!).filter((block) => !NOT_RUN.test(block));
}

function scriptOf(round: number): string {
  const commands = ['README.md', 'docs/api.md', 'docs/mcp.md', 'docs/tracker.md']
    .flatMap(commandsOf)
    .join('\n');
  const script = commands
    .replaceAll('http://127.0.0.1:3000', service.address)
    .replaceAll('mp_…', KEY)
    .replace('npm run -s demo', 'npm run -s demo -- --events 1000 --days 3');
  return PREPARATION + (round === 1 ? script : script.replaceAll(/^.* user create .*$/gm, ''));
}

it.each([1, 2])('all commands of the documentation work, in their order: round %i', async (round) => {
  await promisify(execFile)('bash', ['--norc', '-c', scriptOf(round)], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, SECRET_FILE },
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
});
