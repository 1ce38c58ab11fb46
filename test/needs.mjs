import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Of pictures of pages. */
const FONT = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
export const isHere = (...programs) =>
  programs.some((name) => FOLDERS.some((folder) => existsSync(`${folder}/${name}`)));

/** What tests need besides Node.js, how to tell that it is here, and where Debian has it. */
const needs = {
  server: {
    leavesOut: 'the tests on a database server',
    packages: ['mariadb-server'],
    isMet: () =>
      Boolean(process.env.TEST_DATABASE_URL || process.env.TEST_SERVER) || isHere('mariadbd', 'mysqld'),
    help: 'mariadbd or mysqld on the PATH, or TEST_DATABASE_URL=mysql://user:password@host:port/ of a user who may create databases',
  },
  messages: {
    leavesOut: 'the tests of messages',
    packages: ['nats-server', 'redis-server'],
    isMet: () => isHere('nats-server') && isHere('redis-server'),
    help: 'nats-server and redis-server on the PATH',
  },
  rabbitmq: {
    leavesOut: 'the tests of RabbitMQ',
    packages: ['rabbitmq-server'],
    /** Erlang is large. */
    isOnlyInstalledByCi: true,
    isMet: () => isHere('rabbitmq-server'),
    help: 'rabbitmq-server on the PATH',
  },
  deployment: {
    leavesOut: 'the tests of proxies, services and backups',
    packages: ['nginx-light', 'caddy', 'systemd', 'sqlite3', 'curl', 'openssl'],
    isMet: () =>
      ['nginx', 'caddy', 'systemd-analyze', 'sqlite3', 'curl', 'openssl'].every((name) => isHere(name)),
    help: 'nginx, caddy, systemd-analyze, sqlite3, curl and openssl on the PATH',
  },
  browser: {
    leavesOut: 'the tests in a browser',
    packages: ['chromium', 'fonts-dejavu-core'],
    isMet: () => Boolean(process.env.CHROMIUM) || (isHere('chromium') && existsSync(FONT)),
    help: 'chromium on the PATH and the fonts of DejaVu, or CHROMIUM=/path/to/it',
  },
};

/** Pages are shown in it where it is there, in half the time. */
const FASTER = 'chromium-headless-shell';

/** What is not here, of all or of some. */
export const missing = (names) =>
  Object.entries(needs).filter(([name, need]) => (names?.has(name) ?? true) && !need.isMet());

/** Installs what is missing, where that is possible and allowed: as root, on Debian. */
export function install(names) {
  const required = missing(names).flatMap(([, { packages, isOnlyInstalledByCi }]) =>
    isOnlyInstalledByCi && !process.env.CI ? [] : packages,
  );
  const isFasterMissing = (names?.has('browser') ?? true) && !process.env.CHROMIUM && !isHere(FASTER);
  const packages = [...required, ...(isFasterMissing ? [FASTER] : [])];
  if (packages.length === 0 || process.env.MILEPOST_TEST_INSTALL === 'off') return;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  console.error(
    `Installing ${packages.join(', ')} from Debian, for the tests. MILEPOST_TEST_INSTALL=off leaves it out.`,
  );
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...parameters) => spawnSync('apt-get', ['-qq', ...parameters], { stdio: 'inherit', env });
  apt('update');
  // Not each Debian has the faster one.
  for (const some of [required, packages]) apt('install', '-y', '--no-install-recommends', ...some);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install();
