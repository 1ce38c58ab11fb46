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
/** Node.js 20 needs a version of SQLite that has to be compiled. That of the clone is compiled. */
const SQLITE = Number(process.versions.napi) < 10 ? 'better-sqlite3' : 'better-sqlite3-13';

const running: Child[] = [];
let folder: string;
let home: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-package-'));
  home = join(folder, 'home');
  mkdirSync(home);
  const [make, run] = blockWith('README.md', 'sh', 'npx').trim().split('\n');
  expect([make, run]).toEqual(['npm run -s package', `npx ./milepost-${version}.tgz`]);
  const npm = (cwd: string, ...words: string[]) => promisify(execFile)('npm', words, { cwd });
  const { stdout } = await npm(ROOT, 'run', '-s', 'package', '--', folder);
  expect(stdout).toMatch(/\.tgz: [\d.]+ MiB, [\d.]+ MiB in \d+ files unpacked\n$/);
  await npm(folder, 'install', '--prefer-offline', `./milepost-${version}.tgz`);
});
afterEach(() => Promise.all(running.splice(0).map((program) => program.stop('SIGKILL'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** The files in a folder, by their paths in it. */
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));

function milepost(...words: string[]): Child {
  const environment = { PATH: process.env.PATH, HOME: home, PORT: '0' };
  const file = join(folder, 'node_modules/.bin/milepost');
  const program = new Child(file, words, { cwd: folder, env: environment });
  running.push(program);
  return program;
}

it('has what the service needs, without sources', () => {
  const own = filesIn(join(folder, PACKAGE)).filter((path) => !path.startsWith('node_modules/'));
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
  const { stdout } = await promisify(execFile)('npm', ['ls', '--all', '--parseable', '--long'], {
    cwd: folder,
    maxBuffer: 2 ** 24,
  });
  const [, ...installed] = stdout
    .trim()
    .split('\n')
    // An alias is `/path:name@npm:package@version`.
    .map((line) => line.replace(/^[^:]+:/, '').replace(/npm:@?[^@]+@/, ''));
  const expected = Object.entries(lock.packages as Record<string, { version?: string }>).map(
    ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
  );
  expect(installed.length).toBeGreaterThan(180);
  expect(installed.filter((name) => ![...expected, `milepost@${version}`].includes(name))).toEqual([]);
  expect(installed.filter((name) => /scarf|swagger-ui/.test(name))).toEqual([]);
});

it('runs from an empty folder, and keeps everything in its data folder', async () => {
  if (SQLITE === 'better-sqlite3')
    symlinkSync(join(ROOT, 'node_modules', SQLITE), join(folder, 'node_modules', SQLITE));
  const before = filesIn(folder);
  const service = milepost();
  const [, address] = await service.prints(/ready at (\S+),/);
  const [, data] = await service.prints(/^Its data are in (\S+)\/milepost\.sqlite,/m);
  expect(data).toBe(join(home, '.local/share/milepost'));
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
  expect((await milepost('user', 'list').end()).stdout).toContain('admin@localhost');
  expect((await service.stop()).code).toBe(0);
  const made = filesIn(folder).filter((path) => !before.includes(path));
  expect(made.filter((path) => !path.startsWith('home/.local/share/milepost/'))).toEqual([]);
});

it('runs without the database of cities, and says so', async () => {
  rmSync(join(folder, 'node_modules/@ip-location-db'), { recursive: true });
  const service = milepost();
  await service.prints(/^GEO_DB: no database is installed, so places are unknown$/m);
  await service.stop();
  expect((await milepost('doctor').end()).stdout).toContain('so places are unknown');
});

it.each(['everything', 'its binary'])('says in one line that SQLite lacks %s', async (what) => {
  const place = join(folder, 'node_modules', SQLITE);
  rmSync(place, { recursive: true });
  mkdirSync(place);
  const filter = (path: string) => !/\/(build|prebuilds|deps)$/.test(path);
  if (what === 'its binary') cpSync(join(ROOT, 'node_modules', SQLITE), place, { recursive: true, filter });
  const { code, stderr } = await milepost().end();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATABASE_URL: SQLite is not installed .+\n$/)]);
});
