import { existsSync } from 'node:fs';
import { join } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** The files that take longest, as a run lists them at its end. A clean clone does not know any durations. */
const SLOWEST = [
  'full/engine/kills',
  'full/browser/every-screen',
  'full/e2e/webhook-deliveries',
  'full/e2e/durability',
  'full/e2e/busy-websites',
  'full/e2e/verification-commands',
  'full/browser/explorer',
  'browser/console',
  'browser/statistics',
  'full/browser/filters',
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
