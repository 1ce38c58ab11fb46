import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { programs } from './test/needs.mjs';
import { folderInMemory } from './test/support/memory-disk.mjs';

/** Other users could not write into a folder of this one. */
const cacheDirectory = join(tmpdir(), `milepost-jest-${process.getuid?.() ?? ''}`);

/** The tests load the service as it is built. */
execFileSync(process.execPath, ['scripts/build-if-changed.mjs'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
});

Object.assign(process.env, programs());

/** No test cuts the power, so databases need no disk, whose flushes take longer than the work of most tests. */
const folder = process.env.TMPDIR ?? folderInMemory();
if (folder) process.env.TMPDIR = folder;

/** Files with JSX are compiled as tsc does it; in other files, `<` may begin a cast. */
const WITH_JSX = {
  jsc: {
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    target: 'es2022',
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

const shared = {
  cacheDirectory,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  runtime: '<rootDir>/test/support/runtime.mjs',
  testEnvironment: '<rootDir>/test/support/one-context.mjs',
  transform: { '^.+\\.(t|m?j)s$': '@swc/jest', '^.+\\.tsx$': ['@swc/jest', WITH_JSX] },
};

/** The folders of the tests that `npm test` runs, and of those that only `npm run test:full` runs. */
const FOLDERS = {
  e2e: { small: ['test/e2e', 'test/engine'], full: ['test/full/e2e', 'test/full/engine'] },
  browser: { small: ['test/browser'], full: ['test/full/browser'] },
};

const onSqlite = (displayName, folders) => ({
  ...shared,
  displayName,
  testMatch: [
    ...folders.map((folder) => `<rootDir>/${folder}/*.e2e-spec.ts`),
    '!**/server-settings.e2e-spec.ts',
  ],
  globals: { ENGINE: 'sqlite' },
});

const onServer = (displayName, testMatch) => ({
  ...shared,
  displayName,
  testMatch,
  globals: { ENGINE: 'server' },
  globalSetup: '<rootDir>/test/support/start-server.ts',
  globalTeardown: '<rootDir>/test/support/stop-server.ts',
});

/** Files whose code depends on the dialect, on locks, or on transactions of several processes. */
const DEPENDING_ON_DATABASE = `
  alert-kills backlog backups batches busy-websites closing-hits collected conversions database
  database-away database-errors database-tls day-blocks doctor durability event-batches events evicted-counters faults
  hits housekeeping idempotency inbox-rows interleaved-folds interleavings keys kills limits merging-days metrics moved-days moves
  messages-fairness migrations packet-size purges readiness refused-events remote-kills reports-kills restores retention rollup-rows
  rollups sealed-days secret server-settings service small-days stats stats-answers tracked-websites
  unforgotten-visitors value-order values verification verification-commands waiting-events
  webhook-deliveries webhook-kills website-failures websites write-group
`;
/** Other files that read and write hits, settings or jobs. */
const ON_SECOND_DATABASE = `
  access alert-checks alert-mails alerts annotations checkpoints collected-names console conversions-model
  counting-model dropped exclusions exports filters funnel-queries funnels goals goals-merged goals-model goals-queries
  hostile-input http-caching journeys large-columns live memory memory-batches names queries queries-model
  queries-threads query-values report-recipients reports reports-mail-server resources shared-filters shared-pages value-limits
  values-merged walks-model webhook-reports webhooks website-metrics
`;
/** Of the pages, those whose flows change what is stored, and filter. */
const PAGES_ON_SECOND_DATABASE =
  'alerts console console-keys console-options event-values filters keyboard reports shared tracking webhooks';

const namesIn = (list) => list.split(/\s+/).filter(Boolean);
const pathsOf = (kind, name) =>
  Object.values(FOLDERS[kind])
    .flat()
    .map((folder) => `${folder}/${name}.e2e-spec.ts`)
    .filter((path) => existsSync(join(import.meta.dirname, path)));

function filesOf(kind, list, folders = Object.values(FOLDERS[kind]).flat()) {
  const missing = namesIn(list).filter((name) => pathsOf(kind, name).length !== 1);
  if (missing.length > 0)
    throw new Error(`jest.config.mjs lists files that are not there once: ${missing.join(' ')}`);
  return namesIn(list)
    .flatMap((name) => pathsOf(kind, name))
    .filter((path) => folders.includes(dirname(path)))
    .map((path) => `<rootDir>/${path}`);
}

const listed = namesIn(DEPENDING_ON_DATABASE + ON_SECOND_DATABASE);
const twice = listed.filter((name, index) => listed.indexOf(name) !== index);
if (twice.length > 0) throw new Error(`jest.config.mjs lists these files twice: ${twice.join(' ')}`);

const asksForEngine = /\b(engine|onServer)\b[^;]*\/support\/fresh-database'/;
const SPECS = /^((src|engine|web)\/.*\.spec\.ts|test\/(full\/)?(e2e|engine|browser)\/[^/]+\.e2e-spec\.ts)$/;
for (const file of ['src', 'engine', 'web', 'test'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true }).map((name) => join(folder, name)),
)) {
  if (!/[.-]spec\.\w+$/.test(file)) continue;
  if (!SPECS.test(file)) throw new Error(`no project runs ${file}`);
  if (!/\/(e2e|engine)\//.test(file) || listed.includes(basename(file, '.e2e-spec.ts'))) continue;
  if (asksForEngine.test(readFileSync(join(import.meta.dirname, file), 'utf8')))
    throw new Error(`${file} tells databases apart, but jest.config.mjs does not list it for each`);
}

export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{src,engine,web}/**/*.spec.ts'] },
    onSqlite('sqlite', FOLDERS.e2e.small),
    onServer('server', filesOf('e2e', DEPENDING_ON_DATABASE, FOLDERS.e2e.small)),
    onSqlite('browser', FOLDERS.browser.small),
    onSqlite('full-sqlite', FOLDERS.e2e.full),
    onServer('full-server', filesOf('e2e', DEPENDING_ON_DATABASE, FOLDERS.e2e.full)),
    onSqlite('full-browser', FOLDERS.browser.full),
    onServer('second-server', filesOf('e2e', ON_SECOND_DATABASE)),
    onServer('second-browser', filesOf('browser', PAGES_ON_SECOND_DATABASE)),
  ],
  reporters: ['default', '<rootDir>/test/support/results-reporter.mjs'],
  testSequencer: '<rootDir>/test/support/slowest-first.mjs',
  testTimeout: process.env.LONG_ROUNDS ? 3_600_000 : 600_000,
  /** Of what packages keep of files that have run. */
  workerIdleMemoryLimit: '1GB',
  /** A handle that a test left open would hold CI up until its limit. */
  forceExit: Boolean(process.env.CI),
};
