const shared = {
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testEnvironment: 'node',
  transform: { '^.+\\.(t|m?j)s$': '@swc/jest' },
  transformIgnorePatterns: ['/node_modules/(?!(@nestjs)/)'],
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
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    e2e('sqlite'),
    e2e('sqlite', 'browser', 'browser'),
    {
      ...e2e('mariadb'),
      globalSetup: '<rootDir>/test/support/start-mariadb.ts',
      globalTeardown: '<rootDir>/test/support/stop-mariadb.ts',
    },
  ],
  reporters: ['default', '<rootDir>/test/support/totals-reporter.cjs'],
  testTimeout: 30_000,
};
