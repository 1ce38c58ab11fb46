import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Of pictures of pages. */
const FONT = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
export const isHere = (...programs) =>
  programs.some((name) => FOLDERS.some((folder) => existsSync(`${folder}/${name}`)));

/** What a suite needs besides Node, how to tell that it is here, and where Debian has it. */
export const needs = {
  server: {
    packages: ['database-server'],
    isMet: () =>
      Boolean(process.env.TEST_DATABASE_URL || process.env.TEST_SERVER) || isHere('mariadbd', 'mysqld'),
    help: 'mariadbd or mysqld on the PATH, or TEST_DATABASE_URL=mysql://user:password@host:port/ of a user who may create databases',
  },
  messages: {
    packages: ['nats-server', 'redis-server'],
    isMet: () => isHere('nats-server') && isHere('redis-server'),
    help: 'nats-server and redis-server on the PATH',
  },
  deployment: {
    packages: ['nginx-light', 'caddy', 'systemd', 'sqlite3', 'curl', 'openssl'],
    isMet: () =>
      ['nginx', 'caddy', 'systemd-analyze', 'sqlite3', 'curl', 'openssl'].every((name) => isHere(name)),
    help: 'nginx, caddy, systemd-analyze, sqlite3, curl and openssl on the PATH',
  },
  browser: {
    packages: ['chromium', 'fonts-dejavu-core'],
    isMet: () => Boolean(process.env.CHROMIUM) || (isHere('chromium') && existsSync(FONT)),
    help: 'chromium on the PATH and the fonts of DejaVu, or CHROMIUM=/path/to/it',
  },
};

/** Pages are shown in it where it is there, in half the time. */
const FASTER = 'chromium-headless-shell';

export const missing = () => Object.entries(needs).filter(([, need]) => !need.isMet());

/** Installs what is missing, where that is possible: as root, on Debian. */
export function install() {
  const packages = missing().flatMap(([, need]) => need.packages);
  const isFasterMissing = !process.env.CHROMIUM && !isHere(FASTER);
  if (packages.length === 0 && !isFasterMissing) return;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  console.error(
    `Installing ${[...packages, ...(isFasterMissing ? [FASTER] : [])].join(' and ')} from Debian, for the tests.`,
  );
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...parameters) => spawnSync('apt-get', ['-qq', ...parameters], { stdio: 'inherit', env });
  apt('update');
  if (packages.length > 0) apt('install', '-y', '--no-install-recommends', ...packages);
  if (isFasterMissing) apt('install', '-y', '--no-install-recommends', FASTER);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install();
