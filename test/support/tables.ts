import { inflateRawSync } from 'node:zlib';
import type { Database } from '../../engine/database/database';
import { engine } from './fresh-database';
import { PATIENCE_MS } from './until';

const TABLES =
  engine === 'sqlite'
    ? "SELECT name FROM sqlite_master WHERE type = 'table'"
    : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';

const MAX_HEAD_BYTES = 24;

/** The contents of all tables as text; compressed data are inflated. */
export function textOfAllTables(database: Database): Promise<string> {
  return database.read(async (manager) => {
    const texts: string[] = [];
    for (const { name } of await manager.query<{ name: string }[]>(TABLES)) {
      const rows = await manager.query<object[]>(`SELECT * FROM ${name}`);
      texts.push(name, ...rows.flatMap((row) => Object.values(row).map(textOf)));
    }
    return texts.join('\n');
  }, PATIENCE_MS);
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? `${value.toString()} ${unpacked(value)}` : String(value);
}

/** Compressed data begin after a few bytes of format; other offsets yield nothing, or garbage. */
function unpacked(bytes: Buffer): string {
  if (bytes.length < MAX_HEAD_BYTES) return '';
  const places = Array.from({ length: MAX_HEAD_BYTES }, (_, place) => place);
  return places.map((place) => inflated(bytes.subarray(place))).join(' ');
}

function inflated(bytes: Buffer): string {
  try {
    return inflateRawSync(bytes).toString();
  } catch {
    return '';
  }
}
