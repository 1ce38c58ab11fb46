import { ROW_COLUMNS } from '../rows/row-tables';
import { randomInt } from 'node:crypto';
import { HomeAway, refuseDiffering, type RemoteHome, RowsDiffer } from '../rows/row-home';
import type { Cell } from '../rows/rows-of-block';
import type { ClickhouseServer } from './clickhouse-server';
import { TABLE_COLUMNS, typeOf } from './clickhouse-table';

const LONG = `${'x'.repeat(100_000)}\0\\\n"'`;
/** In the order of their bytes. Each is a text of its own. */
const TEXTS = ['', 'B', 'a', 'a ', 'b', 'ss', LONG, 'ß', 'ä', '\ufffd', '𝄞'];
const OPTIONAL = /Nullable/;

type Days = RemoteHome & { readonly table: string };

/** What the table cannot do as Milepost needs it, by name. Writes some rows, and removes them. */
export async function problemsOfClickhouse(days: Days, server: ClickhouseServer): Promise<string[]> {
  const wrong = await wrongColumns(days, server);
  if (wrong.length > 0) return [`the columns ${wrong.join(', ')} of ${days.table}`];
  // No website has this id.
  const key = { websiteId: 0, day: 0, version: randomInt(2 ** 47) };
  const ofVersion = `FROM ${days.table} WHERE website = 0 AND version = ${key.version}`;
  const problems: string[] = [];
  const expect = async (name: string, sql: string, expected: readonly unknown[]) => {
    const found = (await server.query<[unknown]>(sql)).map(([value]) => String(value));
    if (found.join('\n') !== expected.map(String).join('\n')) problems.push(name);
  };
  try {
    await write(days, key);
    await expect('the order of texts by their bytes', `SELECT page ${ofVersion} ORDER BY page`, TEXTS);
    await expect('the equality of texts by their bytes', `SELECT uniqExact(page) ${ofVersion}`, [
      TEXTS.length,
    ]);
    await days.drop([key]);
    await expect('the removal of rows', `SELECT count() ${ofVersion}`, [0]);
  } catch (error) {
    if (!(error instanceof RowsDiffer || (error instanceof HomeAway && isRefusal(error.cause)))) throw error;
    const { message } = error instanceof HomeAway ? (error.cause as Error) : error;
    problems.push(`the writing, reading and removal of rows (${message})`);
  }
  return problems;
}

async function wrongColumns(days: Days, server: ClickhouseServer): Promise<string[]> {
  const rows = await server.query<[name: string, type: string]>(`DESCRIBE ${days.table}`);
  const types = new Map(rows.map(([name, type]) => [name, type]));
  return TABLE_COLUMNS.filter((name) => {
    const type = types.get(name);
    const plain = (text: string) => text.replace(/^LowCardinality\((.*)\)$/, '$1');
    return type === undefined || plain(type) !== plain(typeOf(name));
  });
}

async function write(days: Days, key: { websiteId: number; day: number; version: number }): Promise<void> {
  const hits = TEXTS.map((page, place) => {
    const own: Record<string, Cell> = { ...{ place, visitor: place, version: key.version }, page };
    return ROW_COLUMNS.map((name) => own[name] ?? (OPTIONAL.test(typeOf(name)) ? null : 0));
  });
  const properties = [[0, 0, key.version, 1, 1, 'plan', 'pro']];
  const writer = days.writer(() => Promise.resolve());
  await writer.add(key, { hits, properties });
  refuseDiffering(await writer.end());
}

/** ClickHouse itself refused a statement, so it is there. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^\d+$/.test((error as { code?: string }).code ?? '');
}
