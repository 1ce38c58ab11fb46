import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { install, missing } from './needs.mjs';

const TESTS = import.meta.dirname;
const SLOWEST = 10;
/** Of the files on SQLite, those about the most used parts that take few seconds. */
const QUICK = `
  compression database filters goals-merged idempotency keys names openapi page-languages problems query-values
  shared-queries stats tracked-websites tracker unsubscribe value-order values websites
`;
/** The units that take seconds. */
const SLOW_UNITS = `
  columns/segments/part derive/geography http/requests/json-batch columns/rollups/texts/distinct-texts
  select/classes/hit-classes read/column-cache columns/batches/batch
`;
/** Of the files on SQLite, those about HTTP, threads, streams and the driver, which differ most between versions. */
const OF_NODE = `
  client client-package client-queue client-reading compression connections database events exports hostile-input live
  mcp mcp-queries messages messages-connections messages-fairness messages-stop messages-unreadable migrations
  pipelining queries-threads service
`;
const UNITS = '^(src|engine|web)/';

/** A pattern for jest. A name whose file is gone is an error. */
function filesNamed(list, folders) {
  const names = namesIn(list);
  const lost = names.filter(
    (name) => !folders.some((folder) => existsSync(`${TESTS}/${folder}/${name}.e2e-spec.ts`)),
  );
  if (lost.length > 0) throw new Error(`test/run.mjs lists files that are not there: ${lost.join(' ')}`);
  return `^test/(${folders.join('|')})/(${names.join('|')})\\.`;
}

function namesIn(list) {
  return list.trim().split(/\s+/);
}

/** What each round runs, what it needs, and the files that a missing need leaves out. */
const ROUNDS = {
  small: { suites: { unit: [], sqlite: [], server: ['server'], browser: ['browser'] } },
  quick: {
    suites: { unit: [], sqlite: [] },
    parameters: ['--testPathPatterns', UNITS, filesNamed(QUICK, ['e2e', 'engine'])],
    leavesOut: namesIn(SLOW_UNITS),
  },
  node: {
    suites: { unit: [], sqlite: [], 'full-sqlite': [] },
    parameters: ['--testPathPatterns', UNITS, filesNamed(OF_NODE, ['e2e', 'full/e2e'])],
  },
  full: {
    suites: {
      'full-sqlite': [],
      'full-server': ['server'],
      'second-server': ['server'],
      'full-browser': ['browser'],
      'second-browser': ['server', 'browser'],
    },
    files: {
      messages: ['e2e/messages'],
      rabbitmq: ['e2e/rabbitmq'],
      deployment: ['e2e/deployment'],
      commands: ['e2e/command-line', 'e2e/database-tls', 'e2e/documentation', 'e2e/service', 'e2e/starts'],
      memory: ['e2e/memory', 'e2e/busy-websites'],
      pictures: ['browser/screens'],
      disk: [],
      faults: ['e2e/faults'],
      prometheus: ['e2e/operations'],
      firefox: ['browser/firefox'],
      webkit: ['browser/webkit'],
    },
  },
};
const ALL_SUITES = Object.assign({}, ...Object.values(ROUNDS).map(({ suites }) => suites));

const [first = ''] = process.argv.slice(2);
const { suites, files: ofNeeds = {}, parameters = [], leavesOut = [] } = ROUNDS[first] ?? ROUNDS.small;
const { given, named } = divided(process.argv.slice(first in ROUNDS ? 3 : 2));
const asked = named ?? Object.keys(suites);
const needed = new Set([
  ...asked.flatMap((suite) => ALL_SUITES[suite] ?? []),
  ...(asked.some((suite) => suite.startsWith('full-')) ? Object.keys(ofNeeds) : []),
]);
install(needed);
const unmet = missing(needed);
const isUnmet = (name) => unmet.some(([need]) => need === name);
const chosen = asked.filter((suite) => !(ALL_SUITES[suite] ?? []).some(isUnmet));
const ignored = [
  ...leavesOut,
  ...Object.entries(ofNeeds).flatMap(([need, paths]) => (isUnmet(need) ? paths : [])),
];

/** The names after jest's option for projects, and all other parameters. */
function divided(parameters) {
  const OPTION = '--selectProjects';
  const text = parameters.find((parameter) => parameter.startsWith(`${OPTION}=`));
  if (text)
    return {
      given: parameters.filter((parameter) => parameter !== text),
      named: [text.slice(OPTION.length + 1)],
    };
  const at = parameters.indexOf(OPTION);
  if (at < 0) return { given: parameters };
  const next = parameters.findIndex((parameter, index) => index > at && parameter.startsWith('-'));
  const end = next < 0 ? parameters.length : next;
  return { given: parameters.toSpliced(at, end - at), named: parameters.slice(at + 1, end) };
}

const processors = Math.max(2, availableParallelism());
/** Tests wait for answers and events a third of their time. */
const workers = processors + Math.ceil(processors / 2);

const folder = mkdtempSync(join(tmpdir(), 'milepost-results-'));
const results = join(folder, 'results');
const brokenOff = join(folder, 'broken-off');
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/jest/bin/jest.js',
    ...given,
    ...['--selectProjects', ...chosen],
    ...parameters,
    ...['--maxWorkers', String(workers)],
    ...(ignored.length > 0 ? ['--testPathIgnorePatterns', ...ignored] : []),
  ],
  { stdio: 'inherit', env: { ...process.env, RESULTS_FILE: results, BROKEN_OFF_FILE: brokenOff } },
);
const files = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : [];
const repeated = existsSync(brokenOff) ? readFileSync(brokenOff, 'utf8').trim().split('\n') : [];
rmSync(folder, { recursive: true });

for (const [, { leavesOut, help, packages }] of unmet) {
  const onDebian = packages.length > 0 ? ` (Debian: apt-get install ${packages.join(' ')})` : '';
  console.error(`LEFT OUT: ${leavesOut}. They need ${help}${onDebian}.`);
}
console.log('The slowest files:');
for (const { suite, path, milliseconds } of files
  .sort((one, other) => other.milliseconds - one.milliseconds)
  .slice(0, SLOWEST))
  console.log(`${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${suite} ${relative('.', path)}`);
const sum = (count) => files.reduce((total, result) => total + result[count], 0);
const skipped = sum('skipped');
if (skipped > 0) console.log(`${skipped} tests were skipped.`);
const isIncomplete = unmet.some(([, { packages }]) => packages.length > 0);
const failures = [
  ...files.flatMap(({ suite, path, failures }) =>
    failures.map((name) => `${suite} ${relative('.', path)}: ${name}`),
  ),
  ...repeated.map((file) => `${file}: its process ended in the middle`),
  ...(process.env.CI && (isIncomplete || skipped > 0) ? ['something was left out'] : []),
];
if (failures.length === 0 && status !== 0) failures.push(`jest ended with ${status}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${sum('passed')} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
