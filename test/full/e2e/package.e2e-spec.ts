import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '../../../package.json';
import lock from '../../../package-lock.json';
import { ApiClient } from '../../support/api-client';
import { Child } from '../../support/child';
import { untilCounted } from '../../support/counted';
import { blockWith, ROOT } from '../../support/documentation';
import { send, website } from '../../support/sending';

const PACKAGE = 'node_modules/milepost';
const FILE = `./milepost-${version}.tgz`;
const NPX = `npx ${FILE}`;
/** Node.js 20 needs a version of SQLite that has to be compiled. That of the clone is compiled. */
const IS_COMPILED = Number(process.versions.napi) < 10;
const SQLITE = IS_COMPILED ? 'better-sqlite3' : 'better-sqlite3-13';
const RECORDER = join(ROOT, 'test/support/recorded-connections.mjs');

const running: Child[] = [];
let folder: string;
const inFolder = (name: string) => join(folder, name);
const npm = async (words: string[], cwd = folder, env = process.env) =>
  (await promisify(execFile)('npm', words, { cwd, env, maxBuffer: 2 ** 24 })).stdout.trim();
/** Appends the connections of npm, and of all that it runs, to a file. */
const recorded = () => ({
  CONNECTIONS_FILE: inFolder('connections'),
  NODE_OPTIONS: `--import ${RECORDER}`,
  npm_config_prefer_online: 'true',
});
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-package-'));
  for (const name of ['home', 'cache', 'compiled']) mkdirSync(inFolder(name));
  if (IS_COMPILED) symlinkSync(join(ROOT, 'node_modules', SQLITE), join(inFolder('compiled'), SQLITE));
  expect(blockWith('README.md', 'sh', 'npx').trim().split('\n')).toEqual(['npm run -s package', NPX]);
  const made = await npm(['run', '-s', 'package', '--', folder], ROOT);
  expect(made).toMatch(/\.tgz: [\d.]+ MiB, [\d.]+ MiB in \d+ files unpacked$/);
  await npm(['install', FILE], folder, { ...process.env, ...recorded() });
});
afterEach(() => Promise.all(running.splice(0).map((program) => program.stop('SIGKILL'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** The files in a folder, by their paths in it. */
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));

function milepost(words = '', command = inFolder('node_modules/.bin/milepost'), env = {}): Child {
  const program = new Child('bash', ['-c', `exec ${command} ${words}`], {
    cwd: folder,
    // As on a terminal, each process gets a signal: npx does not pass it on.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: inFolder('home'),
      NODE_PATH: inFolder('compiled'),
      PORT: '0',
      ...env,
    },
  });
  running.push(program);
  return program;
}

const connections = () => [...new Set(readFileSync(inFolder('connections'), 'utf8').trim().split('\n'))];
const registryHost = async () => new URL(await npm(['config', 'get', 'registry'])).hostname;

it('connects only to the registry while it is installed, and runs nothing', async () => {
  expect(connections()).toEqual([await registryHost()]);
  const { packages } = JSON.parse(readFileSync(inFolder('node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  expect(Object.keys(packages)).toContain(PACKAGE);
  expect(Object.keys(packages).filter((path) => packages[path]!.hasInstallScript)).toEqual([]);
});

it('has what the service needs, without sources', () => {
  const own = filesIn(inFolder(PACKAGE)).filter((path) => !path.startsWith('node_modules/'));
  const code = own.filter((path) => /^dist\/(src|engine)\//.test(path));
  const isOld = (path: string) => {
    const source = join(ROOT, path.slice('dist/'.length).replace(/\.js$/, '.ts'));
    return !existsSync(source) && !existsSync(`${source}x`);
  };
  expect(code.filter(isOld)).toEqual([]);
  for (const path of code)
    expect(readFileSync(join(folder, PACKAGE, path), 'utf8')).not.toContain('sourceMappingURL');
  const others = own.filter((path) => !code.includes(path));
  const named = others.map((path) => path.replace(/^(dist\/(guide|explorer|web\/assets))\/.*/, '$1'));
  expect([...new Set(named)].sort()).toEqual([
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'asyncapi.json', 'bin/milepost'],
    ...['dist/explorer', 'dist/guide', 'dist/package.json', 'dist/tracker-events.js', 'dist/tracker.js'],
    ...['dist/web/assets', 'dist/web/manifest.json', 'openapi.json', 'package.json'],
  ]);
});

it('brings what the lock names, in its versions, and nothing else', async () => {
  const [, ...found] = (await npm(['ls', '--all', '--parseable', '--long']))
    .split('\n')
    // An alias is `/path:name@npm:package@version`.
    .map((line) => line.replace(/^[^:]+:/, '').replace(/npm:@?[^@]+@/, ''));
  const expected = Object.entries(lock.packages as Record<string, { version?: string }>).map(
    ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
  );
  expect(found.length).toBeGreaterThan(180);
  expect(found.filter((name) => ![...expected, `milepost@${version}`].includes(name))).toEqual([]);
  expect(found.filter((name) => /scarf|swagger-ui/.test(name))).toEqual([]);
});

it('runs from an empty folder, and keeps everything in its data folder', async () => {
  const before = filesIn(folder);
  // What npx installs stays out of the cache of the user, which has most of what npm fetches.
  symlinkSync(join(await npm(['config', 'get', 'cache']), '_cacache'), inFolder('cache/_cacache'));
  const service = milepost('', NPX, {
    ...recorded(),
    npm_config_registry: await npm(['config', 'get', 'registry']),
    npm_config_cache: inFolder('cache'),
    // npx asks a person before it installs.
    npm_config_yes: 'true',
  });
  const [, address] = await service.prints(/ready at (\S+),/);
  const [, data] = await service.prints(/^Its data are in (\S+)\/milepost\.sqlite,/m);
  expect(data).toBe(inFolder('home/.local/share/milepost'));
  const [, file] = await service.prints(/^Your API key is in (\S+)\. /m);
  const api = new ApiClient(address!, readFileSync(file!, 'utf8').trim());
  const { id, domain } = await website(api);
  await send(api, { url: `https://${domain}/welcome` });
  await untilCounted(api, id);
  const { body } = await api.get(`/api/v1/stats/${id}?name=page&from=1970-01-01&to=9999-12-31`);
  expect(body.data).toMatchObject([{ value: '/welcome', count: 1 }]);
  for (const path of ['/', '/docs', '/docs/guide/changelog', '/openapi.json', '/tracker.js'])
    expect([path, (await fetch(address + path)).status]).toEqual([path, 200]);
  expect(await (await fetch(address!)).text()).toContain(' data-command="milepost"');
  expect((await milepost('user list').end()).stdout).toContain('admin@localhost');
  await service.stop('SIGINT');
  expect(connections()).toEqual([await registryHost()]);
  const made = filesIn(folder).filter((path) => !before.includes(path));
  expect(made.filter((path) => !/^(home\/\.local\/share\/milepost|cache)\//.test(path))).toEqual([]);
});

it('runs without the database of cities, and says so', async () => {
  rmSync(inFolder('node_modules/@ip-location-db'), { recursive: true });
  const service = milepost();
  await service.prints(/^GEO_DB: no database is installed, so places are unknown$/m);
  await service.stop();
  expect((await milepost('doctor').end()).stdout).toContain('so places are unknown');
});

it.each(['everything', 'its binary'])('says in one line that SQLite lacks %s', async (what) => {
  const place = join(inFolder(IS_COMPILED ? 'compiled' : 'node_modules'), SQLITE);
  rmSync(place, { recursive: true });
  mkdirSync(place);
  const filter = (path: string) => !/\/(build|prebuilds|deps)$/.test(path);
  if (what === 'its binary') cpSync(join(ROOT, 'node_modules', SQLITE), place, { recursive: true, filter });
  const { code, stderr } = await milepost().end();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATABASE_URL: SQLite is not installed .+\n$/)]);
});
