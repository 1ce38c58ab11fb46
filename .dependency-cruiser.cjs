const ground = 'common|config|database|http|mail|validation|retention|limits';
const features =
  'alerts|auth|users|websites|annotations|recipients|goals|storage|derive|intake|tracking|counting|stats|webhooks|reports|pages|demo|health|messages|mcp';
const skins = 'tracking|reports|pages|demo|health|messages|mcp';

const forbid = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

/** Data flows tracking -> intake -> counting -> storage <- stats; the ground folders import no feature. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    forbid(
      'ground-imports-no-feature',
      `^src/(${ground})/`,
      `^src/((${features})/|app|retention-rules|main|cli|commands|services|docs|explorer)`,
    ),
    forbid(
      'config-imports-common-alone',
      '^src/config/',
      '^src/(?!(common|config)/|database/connections/address)',
    ),
    forbid('common-imports-config-only', '^src/common/(?!.*spec)', '^src/(?!(common|config)/)'),
    forbid('database-is-not-http', '^src/database/', '^src/(http|validation)/'),
    forbid(
      'services-know-nothing-of-http',
      `^src/(database|storage|derive|counting|intake|.*(service|repository|query)\\.ts)`,
      '^src/http/',
    ),
    forbid('auth-is-below-users', '^src/auth/', `^src/(?!(auth|${ground})/)`),
    forbid('derive-is-pure', '^src/derive/', '^src/(?!(derive|common|config|validation|websites)/)'),
    forbid(
      'websites-are-below-what-counts-them',
      '^src/(websites|users|annotations)/',
      '^src/(alerts|goals|storage|derive|intake|tracking|counting|stats|webhooks|reports|demo|health)/',
    ),
    forbid(
      'goals-know-the-grammar-of-filters-alone',
      '^src/goals/',
      '^src/(alerts|derive|intake|tracking|counting|stats/(?!queries/parse/)|webhooks|demo)/',
    ),
    forbid(
      'readers-of-conversions-know-cursors-alone',
      '^src/(goals|webhooks)/',
      '^src/(counting/|storage/(?!(day-blocks|events/|followed-websites)))',
    ),
    forbid(
      'demo-knows-the-doors-of-counting-alone',
      '^src/demo/',
      '^src/(storage/|counting/(?!counting\\.(module|service)))',
    ),
    forbid(
      'storage-imports-no-writer-or-reader',
      '^src/storage/',
      '^src/(derive|intake|tracking|counting|stats|webhooks|demo)/',
    ),
    forbid(
      'counting-imports-no-source-of-events',
      '^src/counting/',
      '^src/(derive|intake|tracking|stats/(?!queries/)|webhooks|demo)/',
    ),
    forbid(
      'verify-knows-no-application',
      '^src/counting/verify/',
      '^src/(?!(common|config|counting|database|retention|storage)/)',
    ),
    forbid('verify-is-private-to-counting', '^src/(?!counting/)', '^src/counting/verify/'),
    forbid(
      'stats-read-storage-alone',
      '^src/stats/',
      '^src/(alerts|derive|intake|tracking|counting|webhooks|demo)/',
    ),
    forbid(
      'skins-are-imported-by-composition-alone',
      `^src/(?!(${skins}|app|retention-rules|cli|commands|main|explorer))`,
      `^src/(${skins})/`,
    ),
    forbid(
      'features-import-no-composition',
      `^src/(${features})/`,
      '^src/(app|retention-rules|main|cli|commands|services|docs|explorer)',
    ),
    forbid('the-tracker-script-is-one-file', '^src/tracker/', ''),
    {
      name: 'only-entry-points-read-the-environment',
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
