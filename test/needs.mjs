import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Debian keeps servers where only root looks for programs; macOS and Windows keep browsers in folders of their own. */
const FOLDERS = [
  ...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
  '/usr/sbin',
  ...['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS`),
  ...['Google/Chrome/Application', 'Chromium/Application'].map((name) =>
    join(process.env.ProgramFiles ?? 'C:/Program Files', name),
  ),
];
const FONT_FOLDERS = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.local/share/fonts'),
  join(homedir(), '.fonts'),
];
/** The one in the pictures of pages. */
const FONT = 'DejaVuSans.ttf';
const CHROMIUM = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'Chromium',
  'Google Chrome',
  'chrome',
];
/** Pages are shown in it where it is there, in half the time. */
const FASTER = 'chromium-headless-shell';
const RABBITMQ = '/usr/lib/rabbitmq/bin';

const isLinux = process.platform === 'linux';

function pathOf(...programs) {
  const files = programs.flatMap((name) => [name, `${name}.exe`]);
  return files
    .flatMap((file) => FOLDERS.map((folder) => join(folder, file)))
    .find((path) => existsSync(path));
}
const areHere = (...programs) => programs.every((name) => pathOf(name));
const hasFont = () =>
  FONT_FOLDERS.some(
    (folder) =>
      existsSync(folder) && readdirSync(folder, { recursive: true }).some((path) => basename(path) === FONT),
  );

/** What tests start, by the variables that name it to them. */
export function programs() {
  const { CHROMIUM: chosen } = process.env;
  const found = {
    CHROMIUM: chosen ?? pathOf(...CHROMIUM),
    CHROMIUM_HEADLESS_SHELL: chosen ?? pathOf(FASTER, ...CHROMIUM),
    FIREFOX: process.env.FIREFOX ?? pathOf('firefox-esr', 'firefox'),
    FAKETIME_LIBRARY: libraryOfFaketime(),
    WEBKIT_DRIVER: process.env.WEBKIT_DRIVER ?? (areHere('Xvfb') ? pathOf('WebKitWebDriver') : undefined),
  };
  return Object.fromEntries(Object.entries(found).filter(([, path]) => path));
}

/** Debian has a folder for each kind of processor. */
function libraryOfFaketime() {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  return folders
    .map((folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`)
    .find((path) => existsSync(path));
}

function canMount() {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-disk-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (isMounted) spawnSync('umount', [folder]);
  rmdirSync(folder);
  return isMounted;
}

/**
 * What tests need besides Node.js, how to tell that it is here, and where Debian has it. What has no package cannot be
 * installed, so CI does without it.
 */
const needs = {
  server: {
    leavesOut: 'the tests on a database server',
    packages: ['mariadb-server'],
    isMet: () =>
      Boolean(process.env.TEST_DATABASE_URL || process.env.TEST_SERVER || pathOf('mariadbd', 'mysqld')),
    help: 'mariadbd or mysqld on the PATH, or TEST_DATABASE_URL=mysql://user:password@host:port/ of a user who may create databases',
  },
  messages: {
    leavesOut: 'the tests of messages',
    packages: ['nats-server', 'redis-server'],
    isMet: () => areHere('nats-server', 'redis-server'),
    help: 'nats-server and redis-server on the PATH',
  },
  rabbitmq: {
    leavesOut: 'the tests of RabbitMQ',
    packages: ['rabbitmq-server'],
    /** Erlang is large. */
    isOnlyInstalledByCi: true,
    isMet: () => existsSync(RABBITMQ),
    help: `rabbitmq-server in ${RABBITMQ}`,
  },
  deployment: {
    leavesOut: 'the tests of proxies and services',
    packages: ['nginx-light', 'caddy', 'systemd', 'curl', 'openssl'],
    isMet: () => areHere('nginx', 'caddy', 'systemd-analyze', 'curl', 'openssl'),
    help: 'nginx, caddy, systemd-analyze, curl and openssl on the PATH',
  },
  commands: {
    leavesOut: 'the tests of commands in a shell and of TLS',
    packages: ['bash', 'bsdutils', 'curl', 'openssl'],
    isMet: () => areHere('bash', 'script', 'curl', 'openssl'),
    help: 'bash, script, curl and openssl on the PATH',
  },
  memory: {
    leavesOut: 'the tests of memory',
    packages: [],
    isMet: () => isLinux,
    help: 'Linux, which tells how much memory a process had at most',
  },
  prometheus: {
    leavesOut: 'the checks of alert rules and measures by Prometheus',
    packages: ['prometheus'],
    isMet: () => areHere('promtool'),
    help: 'promtool on the PATH',
  },
  disk: {
    leavesOut: 'the tests of a full disk',
    packages: [],
    isMet: canMount,
    help: 'root on Linux, who may mount one',
  },
  faults: {
    leavesOut: 'the faults at random',
    packages: ['strace', 'faketime'],
    isMet: () => areHere('strace') && Boolean(libraryOfFaketime()) && canMount(),
    help: 'strace, the library of faketime, and root on Linux, who may mount a disk',
  },
  browser: {
    leavesOut: 'the tests in a browser',
    packages: ['chromium', 'fonts-dejavu-core'],
    isMet: () => Boolean(process.env.CHROMIUM) || Boolean(programs().CHROMIUM && (hasFont() || !isLinux)),
    help: 'Chromium or Chrome on the PATH or where the system has it, and on Linux the fonts of DejaVu, or CHROMIUM=/path/to/it',
  },
  pictures: {
    leavesOut: 'the comparison of pages with pictures',
    packages: [],
    isMet: () => isLinux && hasFont(),
    help: 'the fonts of DejaVu on Linux, in which they were made',
  },
  firefox: {
    leavesOut: 'the walks through Firefox',
    packages: ['firefox-esr'],
    isMet: () => Boolean(programs().FIREFOX),
    help: 'firefox-esr or firefox on the PATH or where the system has it, or FIREFOX=/path/to/it',
  },
  webkit: {
    leavesOut: 'the walks through WebKit',
    packages: ['webkit2gtk-driver', 'xvfb'],
    isMet: () => Boolean(programs().WEBKIT_DRIVER),
    help: 'WebKitWebDriver and Xvfb on the PATH, or WEBKIT_DRIVER=/path/to/it',
  },
};

/** What is not here, of all or of some. */
export const missing = (names) =>
  Object.entries(needs).filter(([name, need]) => (names?.has(name) ?? true) && !need.isMet());

/** Installs what is missing, where that is possible and allowed: as root, on Debian. */
export function install(names) {
  const isFasterMissing = (names?.has('browser') ?? true) && !process.env.CHROMIUM && !pathOf(FASTER);
  const installed = missing(names)
    .filter(([, { isOnlyInstalledByCi }]) => !isOnlyInstalledByCi || process.env.CI)
    .map(([, { packages }]) => packages);
  if (isFasterMissing) installed.push([FASTER]);
  const packages = installed.flat();
  if (packages.length === 0 || process.env.MILEPOST_TEST_INSTALL === 'off') return;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  console.error(
    `Installing ${packages.join(', ')} from Debian, for the tests. MILEPOST_TEST_INSTALL=off leaves it out.`,
  );
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...parameters) => spawnSync('apt-get', ['-qq', ...parameters], { stdio: 'inherit', env });
  apt('update');
  // One by one, because not each Debian, and none of its descendants, has all of them.
  for (const some of installed.filter((some) => some.length > 0))
    apt('install', '-y', '--no-install-recommends', ...some);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install();
