import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../../test/support/documentation';

const ROOT = join(__dirname, '../../..');
const BIN = join(ROOT, 'node_modules/.bin');
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

it('names and summarises each operation in its own words, under a tag that is described', () => {
  const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
    tags: { name: string }[];
    paths: Record<string, Record<string, { operationId: string; summary: string; tags: string[] }>>;
  };
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const [ids, summaries] = [operations.map((one) => one.operationId), operations.map((one) => one.summary)];
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*$/.test(id))).toEqual([]);
  for (const texts of [ids, summaries]) expect(new Set(texts).size).toBe(texts.length);
  const tags = new Set(operations.flatMap((operation) => operation.tags));
  expect([...tags].sort()).toEqual(document.tags.map(({ name }) => name).sort());
});

it('gives clients of every operation that strict TypeScript compiles', async () => {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'dist/clients-'));
  try {
    await Promise.all([
      run(join(BIN, 'openapi-typescript'), 'openapi.json', '-o', join(folder, 'schema.d.ts')),
      run(join(BIN, 'openapi-ts'), '-i', 'openapi.json', '-o', join(folder, 'hey-api'), '--no-log-file'),
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
    await run(join(BIN, 'tsc'), '-p', folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
