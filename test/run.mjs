import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { install, isHere, missing, needs } from './needs.mjs';

const SLOWEST = 10;

install();
const met = ['server', 'browser'].filter((suite) => needs[suite].isMet());
const suites = ['unit', 'sqlite', ...met, ...(met.length === 2 ? ['browser-server'] : [])];
/** The files of the suites `messages` and `deployment` belong to the projects of the databases. */
const ignored = [
  ...(needs.messages.isMet() ? [] : ['e2e/messages']),
  ...(needs.deployment.isMet() ? [] : ['e2e/deployment', 'e2e/backups']),
  // Erlang is large, so it is used where it is, and not installed.
  ...(isHere('rabbitmq-server') ? [] : ['e2e/rabbitmq']),
];

const processors = Math.max(2, availableParallelism());
/** Tests wait for answers and events a third of their time. */
const workers = processors + Math.ceil(processors / 2);

const folder = mkdtempSync(join(tmpdir(), 'milepost-results-'));
const results = join(folder, 'results');
const given = process.argv.slice(2);
const { status } = spawnSync(
  'node',
  [
    'node_modules/jest/bin/jest.js',
    ...given,
    ...(given.includes('--selectProjects') ? [] : ['--selectProjects', ...suites]),
    ...['--maxWorkers', String(workers), '--passWithNoTests'],
    ...(ignored.length > 0 ? ['--testPathIgnorePatterns', ...ignored] : []),
  ],
  { stdio: 'inherit', env: { ...process.env, RESULTS_FILE: results } },
);
const files = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : [];
rmSync(folder, { recursive: true });

for (const [suite, need] of missing())
  console.error(
    `\n*** THE SUITE "${suite}" DID NOT RUN ***\nIt needs ${need.help} (Debian: apt-get install ${need.packages.join(' ')}).\n`,
  );
console.log('The slowest files:');
for (const { suite, path, milliseconds } of files
  .sort((one, other) => other.milliseconds - one.milliseconds)
  .slice(0, SLOWEST))
  console.log(`${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${suite} ${relative('.', path)}`);
const sum = (count) => files.reduce((total, result) => total + result[count], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
const isWhole = status === 0 && !(missing().length > 0 && process.env.CI);
process.exit(isWhole ? 0 : 1);
