const ground = 'common|config|database|http|mail|validation|retention|limits';
const features =
  'alerts|auth|users|websites|annotations|recipients|goals|derive|intake|hits|tracking|stats|webhooks|reports|pages|demo|health|messages|mcp';
const skins = 'tracking|reports|pages|demo|health|messages|mcp';

const forbid = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

/** `src` is the application and `engine` the store of hits. The ground folders of the application import no feature. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    forbid('engine-knows-no-application', '^engine/', '^src/'),
    forbid('engine-knows-no-framework', '^engine/', 'node_modules/(@nestjs|express|passport|class-)'),
    forbid('ground-knows-no-hits', '^engine/ground/', '^engine/(?!ground/)'),
    forbid('database-knows-no-hits', '^engine/database/', '^engine/(questions|asking|columns)/'),
    forbid('hits-know-no-questions', '^engine/hits/', '^engine/(questions|asking|columns)/'),
    forbid('questions-know-no-answers', '^engine/questions/', '^engine/(asking|columns)/'),
    forbid('answers-know-no-store', '^engine/asking/(?!.*spec)', '^engine/columns/'),
    forbid(
      'ground-imports-no-feature',
      `^src/(${ground})/`,
      `^src/((${features})/|app|retention-rules|main|cli|commands|services|docs|explorer)`,
    ),
    forbid('config-imports-common-alone', '^src/config/', '^src/(?!(common|config)/)'),
    forbid('common-imports-config-only', '^src/common/(?!.*spec)', '^src/(?!(common|config)/)'),
    forbid('database-is-not-http', '^src/database/', '^src/(http|validation)/'),
    forbid(
      'services-know-nothing-of-http',
      `^src/(database|derive|counting|intake|.*(service|repository|query)\\.ts)`,
      '^src/http/',
    ),
    forbid('auth-is-below-users', '^src/auth/', `^src/(?!(auth|${ground})/)`),
    forbid('derive-is-pure', '^src/derive/', '^src/(?!(derive|common|config|validation|websites)/)'),
    forbid(
      'websites-are-below-what-counts-them',
      '^src/(websites|users|annotations)/',
      '^src/(alerts|goals|derive|intake|hits|tracking|stats|webhooks|reports|demo|health)/',
    ),
    forbid(
      'goals-know-the-grammar-of-filters-alone',
      '^src/goals/',
      '^src/(alerts|derive|intake|hits|tracking|stats|webhooks|demo)/|^engine/asking/',
    ),
    forbid('pages-share-plain-code-alone', '^web/', '^(src|engine/(?!(ground|hits)/))'),
    forbid('only-the-module-of-hits-knows-a-store', '^src/(?!hits/)', '^engine/(asking|columns)/'),
    forbid('stats-read-alone', '^src/stats/', '^src/(alerts|derive|intake|tracking|counting|webhooks|demo)/'),
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
