import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
const isHere = (...programs) =>
  programs.some((name) => FOLDERS.some((folder) => existsSync(`${folder}/${name}`)));
const run = (command, ...parameters) => spawnSync(command, parameters, { stdio: 'inherit' }).status ?? 1;

/** What a suite needs besides Node, how to tell that it is here, and where Debian has it. */
const needs = {
  mariadb: {
    package: 'mariadb-server',
    isMet: () => Boolean(process.env.TEST_DATABASE_URL) || isHere('mariadbd', 'mysqld'),
    help: 'mariadbd or mysqld on the PATH, or TEST_DATABASE_URL=mysql://user:password@host:port/ of a user who may create databases',
  },
  browser: {
    package: 'chromium',
    isMet: () => Boolean(process.env.CHROMIUM) || isHere('chromium'),
    help: 'chromium on the PATH, or CHROMIUM=/path/to/it',
  },
};

const missing = () => Object.entries(needs).filter(([, need]) => !need.isMet());

if (missing().length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
  const packages = missing().map(([, need]) => need.package);
  console.error(`Installing ${packages.join(' and ')} from Debian, for the tests.`);
  process.env.DEBIAN_FRONTEND = 'noninteractive';
  run('apt-get', '-qq', 'update');
  run('apt-get', '-qq', 'install', '-y', '--no-install-recommends', ...packages);
}

const suites = ['unit', 'sqlite', ...Object.keys(needs).filter((suite) => needs[suite].isMet())];
const status = run(
  'node',
  'node_modules/jest/bin/jest.js',
  '--selectProjects',
  ...suites,
  ...process.argv.slice(2),
);

for (const [suite, need] of missing())
  console.error(
    `\n*** THE SUITE "${suite}" DID NOT RUN ***\nIt needs ${need.help} (Debian: apt-get install ${need.package}).\n`,
  );
process.exit(missing().length > 0 && process.env.CI ? 1 : status);
