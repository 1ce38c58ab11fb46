import { existsSync } from 'node:fs';
import { join } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** The files that take longest, as `npm test` lists them. A clean clone does not know any durations. */
const SLOWEST = [
  'browser/every-screen',
  'e2e/kills',
  'e2e/durability',
  'e2e/busy-websites',
  'browser/console',
  'e2e/verification-commands',
  'browser/explorer',
  'browser/statistics',
];
const PATHS = SLOWEST.map((name) => join(import.meta.dirname, '..', `${name}.e2e-spec.ts`));
const missing = PATHS.filter((path) => !existsSync(path));
if (missing.length > 0) throw new Error(`these files are not there: ${missing.join(' ')}`);

const rankOf = ({ path }) => (PATHS.includes(path) ? PATHS.indexOf(path) : PATHS.length);

/** Starts with the slowest files, so that none of them runs alone at the end. */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
