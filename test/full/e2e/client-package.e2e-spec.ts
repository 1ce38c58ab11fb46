import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { untilCounted } from '../../support/counted';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';

const ROOT = join(__dirname, '../../..');
const PACKAGE = join(ROOT, 'clients/typescript');
const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8');

let service: TestApp;
let folder: string;
beforeAll(async () => {
  service = await startApp();
  // Within the package, so that its own name resolves to it.
  folder = mkdtempSync(join(PACKAGE, 'dist/test-'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a program with Node.js, as a user of the package does. */
async function run(program: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  writeFileSync(file, program.replaceAll('https://stats.example.com', service.address));
  const env = { PATH: process.env.PATH, MILEPOST_KEY: FIRST_KEY };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { env });
  expect(stderr).toBe('');
  return stdout;
}

it.each([
  ['Milepost', 5000],
  ['verifyWebhook', 1000],
])('bundles %s to less than %i bytes, minified and compressed', async (name, maxBytes) => {
  const entry = join(folder, `${name}.mjs`);
  writeFileSync(entry, `export { ${name} } from 'milepost-client';`);
  const bundle = `
    import { build } from 'vite';
    const lib = { entry: process.argv[1], formats: ['es'] };
    const [{ output }] = await build({ configFile: false, logLevel: 'error', build: { lib, write: false, minify: true } });
    process.stdout.write(output[0].code);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    bundle,
    entry,
  ]);
  expect(stdout).toContain(name);
  expect(gzipSync(stdout).length).toBeLessThan(maxBytes);
});

it('is published as what it needs, without dependencies', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: PACKAGE,
  });
  const listed = JSON.parse(stdout);
  const [packed] = (Array.isArray(listed) ? listed : Object.values(listed)) as {
    files: { path: string }[];
  }[];
  const paths = packed!.files.map(({ path }) => path).filter((path) => !path.startsWith('dist/test-'));
  expect(paths).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
  );
  expect(
    paths.filter((path) => !/^(LICENSE|README\.md|package\.json|dist\/[a-z]+\.(js|d\.ts))$/.test(path)),
  ).toEqual([]);
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
});

it('can be installed from the file that its README packs', async () => {
  const place = mkdtempSync(join(tmpdir(), 'milepost-client-'));
  try {
    const npm = (cwd: string, ...parameters: string[]) => promisify(execFile)('npm', parameters, { cwd });
    const [, pack, install] = /```sh\nnpm (pack [^\n]+)\nnpm install \.\.\/milepost\/(\S+)\n```/.exec(
      README,
    )!;
    // The package is built already; its programs may be in use.
    await npm(ROOT, ...pack!.split(' '), '--ignore-scripts', '--pack-destination', place);
    await npm(place, 'install', '--offline', '--no-audit', '--no-fund', join(place, install!));
    const program = `import { Milepost } from 'milepost-client';
      const milepost = new Milepost({ url: '${service.address}', key: '${FIRST_KEY}' });
      console.log((await milepost.me.get()).data.email);`;
    writeFileSync(join(place, 'program.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, [join(place, 'program.mjs')]);
    expect(stdout).toBe('admin@localhost\n');
  } finally {
    rmSync(place, { recursive: true });
  }
});

it('does what its README shows', async () => {
  const examples = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, example]) => example);
  const printed = await run(examples.join('\n'));
  expect(printed).toContain('visitor 0');
  expect(printed).toContain('shop.example');
  const { body } = await service.api.get('/api/v1/websites?search=shop.example');
  const { id } = body.data[0];
  await untilCounted(service.api, id);
  const range = 'from=1970-01-01&to=9999-12-31';
  const names = `names=page,event&${range}`;
  const { data } = (await service.api.get(`/api/v1/stats/${id}/summary?${names}`)).body;
  expect(data).toMatchObject([
    { entries: [{ value: '/cart', count: 1 }] },
    { entries: expect.arrayContaining([{ value: 'order', label: 'order', count: 1 }]) },
  ]);
});

it('sends what waits when a process has nothing else to do', async () => {
  const { body } = await service.api.post('/api/v1/websites', { form: { domain: 'exit.example' } });
  const { id } = body.data;
  const printed = await run(`
    import { Milepost } from 'milepost-client';
    const lost = (url) => {
      const onLost = (events, { name }) => console.log(events.length, 'lost', name);
      return new Milepost({ url, key: process.env.MILEPOST_KEY }).queue(${id}, { delayMs: 3_600_000, onLost });
    };
    const event = { url: 'https://exit.example/', ip: '203.0.113.7', user_agent: 'Mozilla/5.0 (X11; Linux x86_64)' };
    lost('https://stats.example.com').add(event);
    lost('http://127.0.0.1:1').add(event);
    for (let count = 0; count < 20; count++) lost('https://stats.example.com');
  `);
  expect(printed).toBe('1 lost NoAnswer\n');
  await untilCounted(service.api, id);
  const stats = await service.api.get(`/api/v1/stats/${id}?name=page&from=1970-01-01&to=9999-12-31`);
  expect(stats.body.data).toEqual([{ value: '/', label: '/', count: 1 }]);
});

it('completes names, and refuses mistyped ones', async () => {
  writeFileSync(
    join(folder, 'types.ts'),
    `
    import { type HitQuery, Milepost } from 'milepost-client';
    import 'milepost-client/page';

    const { stats } = new Milepost({ url: 'https://stats.example.com', key: 'key' });
    const range = { from: '2026-01-01', to: '2026-01-31' };
    await stats.list(1, { name: 'country', ...range });
    await stats.list(1, { name: 'event_property:plan', ...range });
    // @ts-expect-error
    await stats.list(1, { name: 'countri', ...range });
    // @ts-expect-error
    await stats.summary(1, { names: ['page', 'pages'], ...range });
    // @ts-expect-error
    await stats.values(1, { name: 'visitors' });
    // @ts-expect-error
    await stats.query(1, { metrics: ['visitor'], range: '30d' });
    // @ts-expect-error
    await stats.query(1, { metrics: ['visitors'], dimensions: ['countri'], range: '30d' });

    const { data } = await stats.query(1, { metrics: ['visitors', 'value'], dimensions: ['country'], range: '30d' });
    for (const { country, visitors, value } of data) {
      const row: [string | null, number | null, string | null] = [country, visitors, value];
      console.log(row);
    }
    // @ts-expect-error
    console.log(data[0]!.pageviews);
    // @ts-expect-error
    console.log(data[0]!.previous);
    const chosen: HitQuery = { metrics: ['visitors'], dimensions: ['country'], range: '30d' };
    for (const row of (await stats.query(1, chosen)).data) console.log(row.country, row['device']);
    const compared = await stats.query(1, { metrics: ['visits'], range: '30d', compare: 'previous' });
    console.log(compared.data[0]!.previous.visits);
    const rates = await stats.query(1, { metrics: ['bounce_rate', 'conversion_rate'], range: '30d' });
    const [{ bounces, visits, converters, all_visitors } = {}] = rates.data;
    console.log(bounces, visits, converters, all_visitors);
    // @ts-expect-error
    console.log(rates.data[0]!.seconds);
    const { data: answers } = await stats.query(1, { queries: [{ metrics: ['visits'], range: '30d' }] });
    console.log(answers[0]!.meta.total);

    milepost('event', 'purchase', { props: { plan: 'team' }, value: 49.9, currency: 'EUR' });
    window.milepost?.('event', 'banner shown', { passive: true });
    // @ts-expect-error
    milepost('events', 'purchase');
    // @ts-expect-error
    milepost('event', 'purchase', { price: 5 });
    `,
  );
  const options = [
    '--ignoreConfig',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
  ];
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', ...options];
  await promisify(execFile)(process.execPath, [...tsc, 'types.ts'], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    },
  );
});
