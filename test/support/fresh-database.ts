import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

/** Benches have none. */
declare const ENGINE: 'sqlite' | 'server' | undefined;

export const engine = typeof ENGINE === 'undefined' ? 'sqlite' : ENGINE;

/** Tests that only apply to a server. */
export function onServer(title: string, tests: () => void): void {
  if (engine === 'server') describe(title, tests);
}

export interface FreshDatabase {
  url: string;
  drop(): Promise<void>;
}

/** An empty database of the engine that the suite uses. */
export async function freshDatabase(onServer = process.env.TEST_DATABASE_URL): Promise<FreshDatabase> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-sqlite-'));
    return {
      url: `sqlite:${folder}/milepost.sqlite`,
      drop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
    };
  }
  const server = new URL(onServer!);
  const name = `milepost_test_${randomBytes(6).toString('hex')}`;
  await runOn(server, `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  return { url: new URL(`/${name}`, server).href, drop: () => runOn(server, `DROP DATABASE ${name}`) };
}

async function runOn(server: URL, statement: string): Promise<void> {
  const connection = await createConnection({ uri: new URL('/', server).href });
  await connection.query(statement);
  await connection.end();
}
