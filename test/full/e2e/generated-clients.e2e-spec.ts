import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../support/documentation';

const ROOT = join(__dirname, '../../..');
const PACKAGES = join(ROOT, 'node_modules');
/** `npm run documents` and `npm run test:full` install it. */
const GENERATORS = join(ROOT, 'scripts/documents/node_modules');
const binOf = (packages: string, name: string) => join(packages, '.bin', name);
const run = (command: string, ...parameters: string[]) =>
  promisify(execFile)(command, parameters, { cwd: ROOT }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    },
  );

/** The bodies of queries in the documentation: in programs, and as JSON. */
function documentedQueries(): string[] {
  const textOf = (page: string) => blocksOf(page).map(({ text }) => text);
  const programs = [...textOf('clients/typescript/README.md'), ...textOf('docs/messages.md')].join('');
  const fields = [...programs.matchAll(/metrics: \[[^}]*range: '\w+'/g)].map(([found]) => `{ ${found} }`);
  const json = [
    ...textOf('docs/api.md')
      .join('')
      .matchAll(/^ask '(.*?)'$/gms),
  ].map(([, body]) => body!);
  return [...fields, `{ queries: [${fields.join(', ')}] }`, ...json];
}

it('clients generated from openapi.json compile in strict TypeScript, with each documented query', async () => {
  // Generated clients import packages of the generators.
  const folder = mkdtempSync(join(GENERATORS, 'clients-'));
  try {
    await Promise.all([
      run(binOf(PACKAGES, 'openapi-typescript'), 'openapi.json', '-o', join(folder, 'schema.d.ts')),
      run(
        binOf(GENERATORS, 'openapi-ts'),
        '-i',
        'openapi.json',
        '-o',
        join(folder, 'hey-api'),
        '--no-log-file',
      ),
    ]);
    cpSync(join(ROOT, 'test/generated-clients'), folder, { recursive: true });
    const hitQueries = documentedQueries();
    expect(hitQueries.length).toBeGreaterThan(6);
    const bodies = `export const hitQueries: HitQueries[] = [${hitQueries.join(',\n')}];\n`;
    const imports = {
      'fetch-queries.ts': `import type { components } from './schema.js';\ntype HitQueries = components['schemas']['HitQueries'];\n`,
      'sdk-queries.ts': `import type { HitQueries } from './hey-api/index.js';\n`,
    };
    for (const [name, text] of Object.entries(imports)) writeFileSync(join(folder, name), text + bodies);
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    };
    const include = ['*.ts', 'hey-api'];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    await run(binOf(PACKAGES, 'tsc'), '-p', folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
