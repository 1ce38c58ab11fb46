import { readFileSync, writeFileSync } from 'node:fs';
import { transformSync } from '@swc/core';

const ROOT = new URL('..', import.meta.url);

/** The last file tells when the build was complete. */
for (const name of ['tracker-events', 'tracker']) {
  const source = readFileSync(new URL(`src/tracker/${name}.ts`, ROOT), 'utf8');
  writeFileSync(new URL(`dist/${name}.js`, ROOT), minified(source));
}

/** In a function, because declarations of a classic script are global on the page. */
function minified(source) {
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
  return code;
}
