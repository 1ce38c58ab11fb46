import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** The explorer of the API as one script; other packages with it have hundreds of dependencies. */
const BUNDLE = createRequire(import.meta.url)
  .resolve('@scalar/fastify-api-reference')
  .replace(/index\.js$/, 'js/standalone.js');
const BUILT = 'dist/explorer.js';
const COMPRESSED = `${BUILT}.br`;

const builtAt = statSync(COMPRESSED, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (builtAt < statSync(BUNDLE).ctimeMs) {
  const text = readFileSync(BUNDLE);
  copyFileSync(BUNDLE, BUILT);
  writeFileSync(`${BUILT}.gz`, gzipSync(text, { level: 9 }));
  writeFileSync(COMPRESSED, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}
