const feature = 'auth|users|websites|tracking|counting|stats|sharing|dashboard|reports|rpc|health|metrics';

/** The house: `common`, `config` and `database` are the ground, and nothing below knows what stands above it. */
module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'ground-knows-no-feature',
      severity: 'error',
      from: { path: '^src/(common|config|database)/' },
      to: { path: `^src/((${feature})/|app|main|cli|docs)` },
    },
    {
      name: 'config-knows-nothing',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/(?!config/)' },
    },
    {
      name: 'auth-stands-below-users',
      severity: 'error',
      from: { path: '^src/auth/' },
      to: { path: '^src/(?!(auth|common|config|database)/)' },
    },
    {
      name: 'websites-stand-below-what-counts-them',
      severity: 'error',
      from: { path: '^src/(websites|users)/' },
      to: { path: '^src/(tracking|counting|stats|sharing|dashboard|reports|rpc|health|metrics)/' },
    },
    {
      name: 'data-flows-one-way',
      severity: 'error',
      from: { path: '^src/(counting|stats)/' },
      to: { path: '^src/(tracking|sharing|dashboard|reports|rpc)/' },
    },
    {
      name: 'stats-read-tables-and-not-the-code-that-fills-them',
      severity: 'error',
      from: { path: '^src/stats/' },
      to: { path: '^src/counting/' },
    },
    {
      name: 'features-know-no-composition',
      severity: 'error',
      from: { path: `^src/(${feature})/` },
      to: { path: '^src/(app|main|cli|docs)' },
    },
    {
      name: 'the-tracker-is-one-file',
      severity: 'error',
      from: { path: '^src/tracker/' },
      to: {},
    },
    {
      name: 'the-environment-is-read-by-the-entry-points-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main|cli)\\.ts$' },
      to: { path: '^src/(main|cli)\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
