import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../support/documentation';

const ROOT = join(__dirname, '../../..');
const PACKAGES = join(ROOT, 'node_modules');
/** `npm run test:full` and `npm run test:tools` install it. */
const GENERATORS = join(ROOT, 'scripts/tools/node_modules');
const binOf = (packages: string, name: string) => join(packages, '.bin', name);
/** Some of these tools report that they were used. */
const WITHOUT_TELEMETRY = { ...process.env, DO_NOT_TRACK: '1', KUBB_DISABLE_TELEMETRY: '1' };
const run = (command: string, ...parameters: string[]) =>
  promisify(execFile)(command, parameters, { cwd: ROOT, env: WITHOUT_TELEMETRY }).catch(
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

let folder: string;

// Generated clients import packages of the generators.
beforeEach(() => {
  folder = mkdtempSync(join(GENERATORS, 'clients-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function expectCompiled(include: string[]): Promise<void> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  await run(binOf(PACKAGES, 'tsc'), '-p', folder);
}

it('clients generated from openapi.json compile in strict TypeScript, with each documented query', async () => {
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
  await expectCompiled(['*.ts', 'hey-api']);
});

const KUBB = `
import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  input: { path: 'openapi.json' },
  output: { path: new URL('client', import.meta.url).pathname },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch' })],
});
`;

it.each(['kubb', 'orval', 'swagger-typescript-api'])(
  'a client by %s compiles in strict TypeScript',
  async (name) => {
    const settings = join(folder, 'kubb.config.mjs');
    const client = join(folder, 'client');
    writeFileSync(settings, KUBB);
    const parameters = {
      kubb: ['generate', '--silent', '--config', settings],
      orval: ['--input', 'openapi.json', '--output', join(client, 'api.ts'), '--client', 'fetch'],
      'swagger-typescript-api': ['generate', '--silent', '-p', 'openapi.json', '-o', client, '-n', 'api.ts'],
    }[name]!;
    await run(binOf(GENERATORS, name), ...parameters);
    await expectCompiled(['client']);
  },
);
