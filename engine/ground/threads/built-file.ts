import { join } from 'node:path';

/** The absolute path of a file of the build, for example of `engine/columns/counting-worker.js`. */
export function builtFile(path: string): string {
  return join(__dirname, '../../..', path);
}
