import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** The explorer of the API, which `@nestjs/swagger` brings along. */
const PACKAGE = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const BUILT = 'dist/explorer';
const FILES = { 'swagger-ui-bundle.js': 'swagger-ui.js', 'swagger-ui.css': 'swagger-ui.css' };

mkdirSync(BUILT, { recursive: true });
for (const [file, name] of Object.entries(FILES)) {
  const [source, built] = [join(PACKAGE, file), join(BUILT, name)];
  const builtAt = statSync(`${built}.br`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (builtAt >= statSync(source).ctimeMs) continue;
  const bytes = readFileSync(source);
  copyFileSync(source, built);
  writeFileSync(`${built}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${built}.br`, brotliCompressSync(bytes));
}
