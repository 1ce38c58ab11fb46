/** Whatever stands in a row imports what stands in the rows before it, and nothing else of its own row. */
const ROWS = [
  ['engine/ground'],
  ['engine/database'],
  ['engine/hits'],
  ['engine/questions'],
  ['engine/asking', 'engine/port'],
  ['engine/rows'],
  ['engine/clickhouse'],
  ['engine/columns'],
  ['src/config'],
  ['src/common'],
  ['src/database', 'src/retention', 'src/validation'],
  ['src/http', 'src/limits'],
  ['src/auth', 'src/mail'],
  ['src/websites'],
  ['src/annotations', 'src/derive', 'src/goals', 'src/hits', 'src/users'],
  ['src/intake', 'src/recipients', 'src/stats'],
  ['src/demo', 'src/health', 'src/pages', 'src/tracking', 'src/webhooks'],
  ['src/alerts', 'src/metrics', 'src/reports'],
  ['src/backup', 'src/messages'],
  ['src/mcp'],
  // What puts the service together.
  ['src/[^/]+\\.ts'],
];
const skins = 'backup|tracking|reports|pages|demo|health|metrics|messages|mcp';

const forbid = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

const inRow = (part) => (part.endsWith('.ts') ? `^${part}$` : `^${part}(/|\\.ts$)`);

const directions = ROWS.flatMap((row, index) =>
  row.flatMap((part) => {
    const others = [...row, ...ROWS.slice(index + 1).flat()].filter((other) => other !== part);
    if (others.length === 0) return [];
    return forbid(`${part}-imports-what-stands-before-it`, inRow(part), others.map(inRow).join('|'));
  }),
);

/** `src` is the application, and `engine` the store of hits, which knows nothing of the application. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...directions,
    forbid('engine-knows-no-application', '^engine/', '^src/'),
    forbid('engine-knows-no-framework', '^engine/', 'node_modules/(@nestjs|express|passport|class-)'),
    forbid(
      'only-the-module-of-hits-knows-a-store',
      '^src/(?!hits/)',
      '^engine/(asking|clickhouse|columns|rows)/',
    ),
    forbid('pages-share-plain-code-alone', '^web/', '^(src|engine/(?!(ground|hits)/))'),
    forbid(
      'services-know-nothing-of-http',
      '^src/(derive|intake|.*(service|repository|query)\\.ts)',
      '^src/http/',
    ),
    forbid('derive-is-pure', '^src/derive/', '^src/(?!(derive|common|config|validation|websites)/)'),
    forbid('stats-read-alone', '^src/stats/', '^src/derive/'),
    forbid('skins-are-imported-by-composition-alone', `^src/(?!${skins})[^/]+/`, `^src/(${skins})/`),
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
