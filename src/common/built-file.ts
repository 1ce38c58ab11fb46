import { join } from 'node:path';

/** The tests run the sources, which stand beside the build and not in it. */
const BUILD = join(__dirname, __filename.endsWith('.ts') ? '../../dist' : '../..');

/** The path of a file of the build, such as `src/counting/counting-worker.js`: threads and browsers need built files. */
export function builtFile(path: string): string {
  return join(BUILD, path);
}
