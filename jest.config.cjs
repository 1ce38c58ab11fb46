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
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testEnvironment: 'node',
  transform: { '^.+\\.(t|m?j)s$': '@swc/jest', '^.+\\.tsx$': ['@swc/jest', WITH_JSX] },
  transformIgnorePatterns: ['/node_modules/(?!(@nestjs|preact)/)'],
};

const e2e = (engine, displayName = engine, folder = 'e2e') => ({
  ...shared,
  displayName,
  testMatch: [`<rootDir>/test/${folder}/**/*.e2e-spec.ts`],
  globals: { ENGINE: engine },
});

/** One suite for everything that reaches the tables; it runs whole on each database. */
module.exports = {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{src,web}/**/*.spec.ts'] },
    e2e('sqlite'),
    e2e('sqlite', 'browser', 'browser'),
    {
      ...e2e('mariadb'),
      globalSetup: '<rootDir>/test/support/start-mariadb.ts',
      globalTeardown: '<rootDir>/test/support/stop-mariadb.ts',
    },
  ],
  reporters: ['default', '<rootDir>/test/support/results-reporter.mjs'],
  testTimeout: 60_000,
  forceExit: Boolean(process.env.CI),
};
