import { readFileSync, writeFileSync } from 'node:fs';
import { transformSync } from '@swc/core';

const ROOT = new URL('..', import.meta.url);
const source = readFileSync(new URL('src/tracker/tracker.ts', ROOT), 'utf8');

/** In a function, because declarations of a classic script are global on the page. */
const { code } = transformSync(`(() => {${source}})();`, {
  swcrc: false,
  isModule: false,
  minify: true,
  jsc: {
    parser: { syntax: 'typescript' },
    target: 'es2017',
    minify: { compress: { passes: 3 }, mangle: true },
  },
});

writeFileSync(new URL('dist/tracker.js', ROOT), code);
