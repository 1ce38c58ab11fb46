import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';
const BYTES_FOR_DATABASES = 4 * 1024 ** 3;
const cacheDirectory = join(tmpdir(), 'milepost-jest');

/** The tests load the service as it is built. */
execFileSync(process.execPath, ['scripts/build-if-changed.mjs'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
});

/** No test cuts the power, so databases need no disk, whose flushes take longer than the work of most tests. */
if (process.env.TMPDIR === undefined && freeBytes(MEMORY_DISK) >= BYTES_FOR_DATABASES)
  process.env.TMPDIR = MEMORY_DISK;

function freeBytes(folder) {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

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

const e2e = (engine, displayName = engine, folder = 'e2e') => ({
  ...shared,
  displayName,
  testMatch: [`<rootDir>/test/${folder}/**/*.e2e-spec.ts`, '!**/server-settings.e2e-spec.ts'],
  globals: { ENGINE: engine },
});

const onServer = {
  ...e2e('server'),
  globalSetup: '<rootDir>/test/support/start-server.ts',
  globalTeardown: '<rootDir>/test/support/stop-server.ts',
};

/** What depends on the database: statements, transactions, leases, the order of texts, errors, several processes. */
const ON_EACH_DATABASE = `
  access alert-checks alert-kills alert-mails alerts annotations backlog backups batches busy-websites checkpoints closing-hits collected collected-names console conversions conversions-model
  counting-model
  database database-away database-errors database-tls dropped durability event-batches events evicted-counters exports
  filters funnel-queries funnels goals goals-merged goals-model goals-queries hits hostile-input housekeeping http-caching idempotency inbox-rows
  interleavings journeys keys kills large-columns limits live memory
  memory-batches merging-days messages-fairness migrations names packet-size
  query-values queries queries-model queries-threads readiness refused-events reports reports-kills resources
  reports-mail-server retention rollup-rows rollups sealed-days secret server-settings service shared-filters shared-pages small-days stats stats-answers
  tracked-websites
  unforgotten-visitors
  value-limits value-order values values-merged verification verification-commands waiting-events walks-model webhook-deliveries
  webhook-kills webhook-reports webhooks website-failures websites write-group
`;
/** Of the pages, those whose flows change what is stored, and filter. */
const PAGES_ON_EACH_DATABASE =
  'alerts console console-keys console-options event-values filters keyboard reports shared tracking webhooks';

function filesOf(folder, names) {
  const paths = names
    .split(/\s+/)
    .filter(Boolean)
    .map((name) => `test/${folder}/${name}.e2e-spec.ts`);
  const missing = paths.filter((path) => !existsSync(join(import.meta.dirname, path)));
  if (missing.length > 0)
    throw new Error(`jest.config.mjs lists files that are not there: ${missing.join(' ')}`);
  return paths.map((path) => `<rootDir>/${path}`);
}

for (const name of readdirSync(join(import.meta.dirname, 'test/e2e'))) {
  const file = join('test/e2e', name);
  const asksForEngine = /\b(engine|onServer)\b.*'\.\.\/support\/fresh-database'/;
  const isListed = ON_EACH_DATABASE.split(/\s+/).includes(name.replace('.e2e-spec.ts', ''));
  if (!isListed && asksForEngine.test(readFileSync(join(import.meta.dirname, file), 'utf8')))
    throw new Error(`${file} tells databases apart, but jest.config.mjs does not list it for each`);
}

export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{src,web}/**/*.spec.ts'] },
    e2e('sqlite'),
    e2e('sqlite', 'browser', 'browser'),
    { ...onServer, testMatch: filesOf('e2e', ON_EACH_DATABASE) },
    {
      ...onServer,
      displayName: 'browser-server',
      testMatch: filesOf('browser', PAGES_ON_EACH_DATABASE),
    },
  ],
  reporters: ['default', '<rootDir>/test/support/results-reporter.mjs'],
  testSequencer: '<rootDir>/test/support/slowest-first.mjs',
  testTimeout: process.env.LONG_ROUNDS ? 3_600_000 : 600_000,
  /** Of what packages keep of files that have run. */
  workerIdleMemoryLimit: '1GB',
  forceExit: Boolean(process.env.CI),
};
