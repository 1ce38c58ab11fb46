import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';
const BYTES_FOR_DATABASES = 4 * 1024 ** 3;
const cacheDirectory = join(tmpdir(), 'milepost-jest');

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
  testMatch: [`<rootDir>/test/${folder}/**/*.e2e-spec.ts`],
  globals: { ENGINE: engine },
});

const mariadb = {
  ...e2e('mariadb'),
  globalSetup: '<rootDir>/test/support/start-mariadb.ts',
  globalTeardown: '<rootDir>/test/support/stop-mariadb.ts',
};
/** In a browser, these show what the database has. */
const PAGES = ['comparison', 'console', 'event-values', 'filters', 'live', 'panels', 'statistics'];

/** What does not depend on the database runs on SQLite alone. */
const ON_ONE_DATABASE = [
  'asyncapi',
  'client*',
  'connections.timed',
  'deployment',
  'documentation',
  'messages-connections',
  'npm-scripts',
  'openapi',
];

/** One suite for everything that reaches the tables; it runs whole on each database. */
export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{src,web}/**/*.spec.ts'] },
    e2e('sqlite'),
    e2e('sqlite', 'browser', 'browser'),
    {
      ...mariadb,
      testMatch: [...mariadb.testMatch, ...ON_ONE_DATABASE.map((name) => `!**/e2e/${name}.e2e-spec.ts`)],
    },
    {
      ...mariadb,
      displayName: 'browser-mariadb',
      testMatch: PAGES.map((name) => `<rootDir>/test/browser/${name}.e2e-spec.ts`),
    },
  ],
  reporters: ['default', '<rootDir>/test/support/results-reporter.mjs'],
  testTimeout: 120_000,
  /** Of what packages keep of files that have run. */
  workerIdleMemoryLimit: '1GB',
  forceExit: Boolean(process.env.CI),
};
