import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The absolute path of a file of the build, for example of `engine/columns/counting-worker.js`. */
export function builtFile(path: string): string {
  return join(__dirname, '../../..', path);
}

/** As a clone has them. A package and the image do not. */
export const hasSources = existsSync(builtFile('../src'));
