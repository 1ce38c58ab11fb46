import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';

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
  deployment: {
    package: 'nginx-light caddy systemd sqlite3 curl openssl',
    isMet: () =>
      ['nginx', 'caddy', 'systemd-analyze', 'sqlite3', 'curl', 'openssl'].every((name) => isHere(name)),
    help: 'nginx, caddy, systemd-analyze, sqlite3, curl and openssl on the PATH',
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

const met = ['mariadb', 'browser'].filter((suite) => needs[suite].isMet());
const suites = ['unit', 'sqlite', ...met, ...(met.length === 2 ? ['browser-mariadb'] : [])];
/** The files of the suites `messages` and `deployment` belong to the projects of the databases. */
const ignored = [
  ...(needs.messages.isMet() ? [] : ['e2e/messages']),
  ...(needs.deployment.isMet() ? [] : ['e2e/deployment', 'e2e/backups']),
  // Erlang is large, so it is used where it is, and not installed.
  ...(isHere('rabbitmq-server') ? [] : ['e2e/rabbitmq']),
];

/** Files that measure time run last, so that no more of them run at once than there are processors. */
const TIMED = '\\.timed\\.';
const processors = Math.max(2, availableParallelism());
/** Tests wait for answers and events a third of their time. */
const besideOthers = processors + Math.ceil(processors / 2);
const runs = [
  ['--maxWorkers', String(besideOthers), '--testPathIgnorePatterns', TIMED, ...ignored],
  ['--maxWorkers', String(processors), '--testPathIgnorePatterns', `(?<!${TIMED}e2e-spec)\\.ts$`],
];

const folder = mkdtempSync(join(tmpdir(), 'milepost-results-'));
process.env.RESULTS_FILE = join(folder, 'results');

/** The result of each file; of one that was run again, the last. */
const results = new Map();

/** Whether every test passed, or those that failed are in the results. */
function jest(suites, names, ...options) {
  const selection = names.includes('--selectProjects') ? [] : ['--selectProjects', ...suites];
  const program = ['node_modules/jest/bin/jest.js', ...names, '--passWithNoTests'];
  const status = run('node', ...program, ...selection, ...options);
  if (!existsSync(process.env.RESULTS_FILE)) return status === 0;
  const files = JSON.parse(readFileSync(process.env.RESULTS_FILE, 'utf8'));
  rmSync(process.env.RESULTS_FILE);
  for (const file of files) results.set(`${file.suite} ${relative('.', file.path)}`, file);
  return status === 0 || files.some(({ failed }) => failed > 0);
}

const failures = () => [...results].filter(([, { failed }]) => failed > 0);
const isComplete = runs.map((options) => jest(suites, process.argv.slice(2), ...options)).every(Boolean);

/** Tests beside others may miss a deadline on a slow machine: a few failed files are run again, alone. */
const MOST_FILES_RUN_AGAIN = 4;
const failedBesideOthers = failures();
if (failedBesideOthers.length <= MOST_FILES_RUN_AGAIN)
  for (const [, { suite, path }] of failedBesideOthers)
    jest([suite], [path], '--runInBand', '--runTestsByPath');
for (const [file] of failedBesideOthers)
  console.error(`FAILED AT FIRST: ${file}${results.get(file).failed > 0 ? '' : ', passed when run alone'}`);

for (const [suite, need] of missing())
  console.error(
    `\n*** THE SUITE "${suite}" DID NOT RUN ***\nIt needs ${need.help} (Debian: apt-get install ${need.package}).\n`,
  );
const sum = (count) => [...results.values()].reduce((total, result) => total + result[count], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
rmSync(folder, { recursive: true });
const isWhole = isComplete && !(missing().length > 0 && process.env.CI);
process.exit(isWhole && sum('failed') === 0 ? 0 : 1);
