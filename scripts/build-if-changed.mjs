import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';

const BUILT = 'dist/tracker.js';
const SOURCES = [
  'src',
  'engine',
  'web',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'ormconfig.ts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
];

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
const filesIn = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`)
    : [path];

/** The tracker is the last file that a build writes. A production image has no sources to build. */
const builtAt = modified(BUILT);
const sources = SOURCES.filter((path) => modified(path) !== undefined).flatMap(filesIn);
const isBuilt =
  builtAt !== undefined &&
  (modified('src') === undefined || sources.every((path) => modified(path) < builtAt));

if (!isBuilt) {
  const why =
    builtAt === undefined
      ? 'for the first time, which takes some minutes'
      : 'because its sources have changed';
  process.stderr.write(`Building Milepost ${why} …\n`);
  const { status } = spawnSync('npm', ['run', '-s', 'build'], { stdio: ['ignore', 2, 2] });
  process.exitCode = status ?? 1;
}
