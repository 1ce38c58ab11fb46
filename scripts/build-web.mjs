import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ASSETS = `${ROOT}dist/web/assets`;

// Where jest builds, its `test` would make the pages larger than users get them.
process.env.NODE_ENV = 'production';

await build({ root: `${ROOT}web`, configFile: `${ROOT}web/vite.config.mjs` });

/** Compressed at build time, so that the service need not do it. */
for (const name of readdirSync(ASSETS)) {
  const bytes = readFileSync(`${ASSETS}/${name}`);
  writeFileSync(`${ASSETS}/${name}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${ASSETS}/${name}.br`, brotliCompressSync(bytes));
}
