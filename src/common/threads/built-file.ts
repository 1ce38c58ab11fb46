import { join } from 'node:path';

/** The path of a file of the build, like `src/counting/counting-worker.js`. */
export function builtFile(path: string): string {
  return join(__dirname, '../../..', path);
}
