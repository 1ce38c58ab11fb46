import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
const isHere = (...programs) =>
  programs.some((name) => FOLDERS.some((folder) => existsSync(`${folder}/${name}`)));
const run = (command, ...parameters) => spawnSync(command, parameters, { stdio: 'inherit' }).status ?? 1;

/** What a suite needs besides Node, how to tell that it is here, and where Debian has it. */
const needs = {
  mariadb: {
    package: 'mariadb-server',
    isMet: () =>
      Boolean(process.env.TEST_DATABASE_URL || process.env.TEST_SERVER) || isHere('mariadbd', 'mysqld'),
    help: 'mariadbd or mysqld on the PATH, or TEST_DATABASE_URL=mysql://user:password@host:port/ of a user who may create databases',
  },
  messages: {
    package: 'nats-server redis-server',
    isMet: () => isHere('nats-server') && isHere('redis-server'),
    help: 'nats-server and redis-server on the PATH',
  },
  browser: {
    package: 'chromium',
    isMet: () => Boolean(process.env.CHROMIUM) || isHere('chromium'),
    help: 'chromium on the PATH, or CHROMIUM=/path/to/it',
  },
};

const missing = () => Object.entries(needs).filter(([, need]) => !need.isMet());

if (missing().length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
  const packages = missing().flatMap(([, need]) => need.package.split(' '));
  console.error(`Installing ${packages.join(' and ')} from Debian, for the tests.`);
  process.env.DEBIAN_FRONTEND = 'noninteractive';
  run('apt-get', '-qq', 'update');
  run('apt-get', '-qq', 'install', '-y', '--no-install-recommends', ...packages);
}

const suites = ['unit', 'sqlite', ...['mariadb', 'browser'].filter((suite) => needs[suite].isMet())];
/** The files of the suite `messages` belong to the projects of both databases. */
const ignored = needs.messages.isMet() ? [] : ['e2e/messages'];

/** Files that measure time run last, one at a time. */
const TIMED = '\\.timed\\.';
const runs = [
  [
    '--maxWorkers',
    String(Math.max(2, availableParallelism())),
    '--testPathIgnorePatterns',
    TIMED,
    ...ignored,
  ],
  ['--runInBand', '--testPathIgnorePatterns', `(?<!${TIMED}e2e-spec)\\.ts$`],
];

const folder = mkdtempSync(join(tmpdir(), 'milepost-totals-'));
process.env.TOTALS_FILE = join(folder, 'totals');
const jest = ['node_modules/jest/bin/jest.js', '--passWithNoTests', '--selectProjects', ...suites];
const statuses = runs.map((options) => run('node', ...jest, ...process.argv.slice(2), ...options));
const status = statuses.find((status) => status !== 0) ?? 0;

for (const [suite, need] of missing())
  console.error(
    `\n*** THE SUITE "${suite}" DID NOT RUN ***\nIt needs ${need.help} (Debian: apt-get install ${need.package}).\n`,
  );
const totals = existsSync(process.env.TOTALS_FILE)
  ? readFileSync(process.env.TOTALS_FILE, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
  : [];
rmSync(folder, { recursive: true });
const sum = (column) => totals.reduce((total, line) => total + line[column], 0);
console.log(`${sum(0)} passed, ${sum(1)} failed`);
process.exit(missing().length > 0 && process.env.CI ? 1 : status);
