import { spawnSync } from 'node:child_process';

/** The tracker is last: its files tell when a build was complete. */
const STEPS = [
  ['the service', 'node_modules/.bin/tsc', '-p', 'tsconfig.build.json'],
  ['the API explorer', process.execPath, 'scripts/build-explorer.mjs'],
  ['the guide', process.execPath, 'scripts/build-guide.mjs'],
  ['the pages', process.execPath, 'scripts/build-web.mjs'],
  ['the tracker', process.execPath, 'scripts/build-tracker.mjs'],
];

/** Only whoever waits at a terminal wants to know how far it is. */
const isWatched = process.stderr.isTTY;

for (const [index, [what, program, ...parameters]] of STEPS.entries()) {
  if (isWatched) process.stderr.write(`Building ${index + 1}/${STEPS.length}: ${what} …\n`);
  const { status } = spawnSync(program, parameters, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
