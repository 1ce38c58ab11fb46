import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { install, isHere, missing } from './needs.mjs';

const SLOWEST = 10;
/** Of the files on SQLite, those about the most used parts that take few seconds. */
const QUICK = `
  compression database filters goals-merged idempotency keys names openapi page-languages problems query-values
  shared-queries stats tracked-websites tracker unsubscribe value-order values websites
`;
/** The units that take seconds. */
const SLOW_UNITS = `
  storage/segments/part derive/geography http/requests/json-batch storage/rollups/texts/distinct-texts
  select/classes/hit-classes read/column-cache storage/batches/batch
`;
const namesIn = (list) => list.trim().split(/\s+/);

/** What each round runs, what it needs, and the files that a missing need leaves out. */
const ROUNDS = {
  small: { suites: { unit: [], sqlite: [], server: ['server'], browser: ['browser'] } },
  quick: {
    suites: { unit: [], sqlite: [] },
    parameters: ['--testPathPatterns', '/src/', `test/e2e/(${namesIn(QUICK).join('|')})\\.`],
    leavesOut: namesIn(SLOW_UNITS),
  },
  full: {
    suites: {
      'full-sqlite': [],
      'full-server': ['server'],
      'second-server': ['server'],
      'full-browser': ['browser'],
      'second-browser': ['server', 'browser'],
    },
    files: { messages: ['e2e/messages'], deployment: ['e2e/deployment', 'e2e/backups'] },
  },
};

const [first = '', ...others] = process.argv.slice(2);
const { suites, files: ofNeeds = {}, parameters = [], leavesOut = [] } = ROUNDS[first] ?? ROUNDS.small;
const given = first in ROUNDS ? others : process.argv.slice(2);
const needed = new Set([...Object.values(suites).flat(), ...Object.keys(ofNeeds)]);
install(needed);
const unmet = missing(needed);
const isUnmet = (name) => unmet.some(([need]) => need === name);
const chosen = Object.keys(suites).filter((suite) => !suites[suite].some(isUnmet));
const ignored = [
  ...leavesOut,
  ...Object.entries(ofNeeds).flatMap(([need, paths]) => (isUnmet(need) ? paths : [])),
  // Erlang is large, so it is used where it is, and not installed.
  ...(isHere('rabbitmq-server') ? [] : ['e2e/rabbitmq']),
];

const processors = Math.max(2, availableParallelism());
/** Tests wait for answers and events a third of their time. */
const workers = processors + Math.ceil(processors / 2);

const folder = mkdtempSync(join(tmpdir(), 'milepost-results-'));
const results = join(folder, 'results');
const { status } = spawnSync(
  'node',
  [
    'node_modules/jest/bin/jest.js',
    ...given,
    ...(given.includes('--selectProjects') ? [] : ['--selectProjects', ...chosen]),
    ...parameters,
    ...['--maxWorkers', String(workers), '--passWithNoTests'],
    ...(ignored.length > 0 ? ['--testPathIgnorePatterns', ...ignored] : []),
  ],
  { stdio: 'inherit', env: { ...process.env, RESULTS_FILE: results } },
);
const files = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : [];
rmSync(folder, { recursive: true });

for (const [, { leavesOut, help, packages }] of unmet)
  console.error(`LEFT OUT: ${leavesOut}. They need ${help} (Debian: apt-get install ${packages.join(' ')}).`);
console.log('The slowest files:');
for (const { suite, path, milliseconds } of files
  .sort((one, other) => other.milliseconds - one.milliseconds)
  .slice(0, SLOWEST))
  console.log(`${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${suite} ${relative('.', path)}`);
const sum = (count) => files.reduce((total, result) => total + result[count], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
const isWhole = status === 0 && !(unmet.length > 0 && process.env.CI);
process.exit(isWhole ? 0 : 1);
