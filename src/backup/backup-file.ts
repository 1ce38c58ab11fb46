import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { DatabaseKind, StoredValue } from '../../engine/database/connections/snapshot';
import { CommandError } from '../../engine/ground/errors';
import { yieldIfNeeded } from '../../engine/ground/time/yield-if-needed';
import { type CopiedTable, type TableHead } from './copied-tables';

/*
 * A backup is lines of JSON, compressed by gzip. The first line is the head, which names the tables with their columns
 * and numbers of rows. A line for each row follows, in the order of the tables: a list of its values. Bytes are in a
 * list of their own, as base64.
 */
const FORMAT = 1;
/** More than any row has. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const VERSION = /^[\w.+-]{1,100}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export interface BackupHead {
  readonly milepostBackup: typeof FORMAT;
  /** The version that made the backup. */
  readonly version: string;
  readonly kind: DatabaseKind;
  readonly migrations: readonly string[];
  readonly madeAt: string;
  readonly timezone: string;
  /** Tells the secret of the installation from others. Empty if the service never started. */
  readonly secretCheck: string;
  readonly tables: readonly TableHead[];
}

export function headOf(
  about: Omit<BackupHead, 'milepostBackup' | 'tables'>,
  tables: CopiedTable[],
): BackupHead {
  const heads = tables.map(({ name, columns, rows, lastId }) => ({ name, columns, rows, lastId }));
  return { milepostBackup: FORMAT, ...about, tables: heads };
}

export async function* linesOf(
  head: BackupHead,
  tables: readonly CopiedTable[],
  advance: (rows: number) => void,
): AsyncGenerator<string> {
  let text = `${JSON.stringify(head)}\n`;
  for (const { name, values } of tables)
    for await (const row of values()) {
      const line = lineOf(row);
      if (line.length > MAX_LINE_BYTES) throw new CommandError(`a row of ${name} is too large for a backup`);
      text += `${line}\n`;
      advance(1);
      if (text.length < CHUNK_BYTES) continue;
      yield text;
      text = '';
    }
  yield text;
}

/** The same for the same row of each database. */
export function lineOf(row: readonly StoredValue[]): string {
  return JSON.stringify(row.map((value) => (Buffer.isBuffer(value) ? [value.toString('base64')] : value)));
}

/** A backup that is read from its beginning to its end, once. */
export class BackupFile {
  private constructor(
    readonly path: string,
    readonly head: BackupHead,
    private readonly lines: AsyncGenerator<string>,
  ) {}

  /** Refuses a file that is not a backup. Does not check its tables. */
  static async open(path: string): Promise<BackupFile> {
    const lines = linesIn(path);
    const { value: first } = (await lines.next()) as IteratorResult<string, undefined>;
    const head = first === undefined ? undefined : parsed(first);
    if (!isHead(head)) throw new CommandError(`${path} is not a backup of Milepost`);
    if (head.milepostBackup !== FORMAT)
      throw new CommandError(
        `${path} was made by a newer version of Milepost (${head.version}); restore it with that version`,
      );
    return new BackupFile(path, head, lines);
  }

  /** The rows of a table. Call it once for each table, in the order of the head. */
  async *rowsOf(table: TableHead): AsyncGenerator<StoredValue[]> {
    for (let left = table.rows; left > 0; left--) {
      const { value: line } = (await this.lines.next()) as IteratorResult<string, undefined>;
      if (line === undefined) throw new CommandError(`${this.path} is cut off`);
      yield this.rowIn(line, table);
    }
  }

  /** Call it after the rows of all tables. */
  async refuseMore(): Promise<void> {
    if (!(await this.lines.next()).done) throw this.damage();
  }

  close(): Promise<unknown> {
    return this.lines.return(undefined);
  }

  damage(): CommandError {
    return new CommandError(`${this.path} is damaged`);
  }

  private rowIn(line: string, { columns }: TableHead): StoredValue[] {
    const values = parsed(line);
    if (!Array.isArray(values) || values.length !== columns.length) throw this.damage();
    return values.map((value: unknown) => {
      if (value === null || typeof value === 'string' || Number.isFinite(value)) return value as StoredValue;
      if (!Array.isArray(value) || typeof value[0] !== 'string') throw this.damage();
      return Buffer.from(value[0], 'base64');
    });
  }
}

function isHead(value: unknown): value is BackupHead {
  if (typeof value !== 'object' || value === null || !('milepostBackup' in value)) return false;
  const { version, kind, migrations, madeAt, timezone, secretCheck, tables } = value as Record<
    string,
    unknown
  >;
  const areTexts = [version, kind, timezone, secretCheck].every((own) => typeof own === 'string');
  const areShown = VERSION.test(String(version)) && MOMENT.test(String(madeAt)) && isZone(String(timezone));
  return areTexts && areShown && isTexts(migrations) && Array.isArray(tables) && tables.every(isTable);
}

function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

function isTable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, columns, rows, lastId } = value as Record<string, unknown>;
  const areCounts = [rows, lastId].every((own) => Number.isSafeInteger(own) && (own as number) >= 0);
  return typeof name === 'string' && isTexts(columns) && areCounts;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((own) => typeof own === 'string');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* linesIn(path: string): AsyncGenerator<string> {
  const bytes = new PassThrough();
  const reading = pipeline(createReadStream(path), createGunzip({ chunkSize: CHUNK_BYTES }), bytes);
  reading.catch(() => undefined);
  let pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...pieces, chunk.subarray(from, end)]).toString();
        await yieldIfNeeded();
        [pieces, length, from] = [[], 0, end + 1];
      }
      pieces.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MAX_LINE_BYTES) throw new CommandError(`${path} is damaged`);
    }
    if (length > 0) throw new CommandError(`${path} is cut off`);
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(problemOf(path, error));
  }
}

function problemOf(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (message === 'incorrect header check') return `${path} is not a backup of Milepost`;
  if (code === 'Z_BUF_ERROR') return `${path} is cut off`;
  return code?.startsWith('Z_') ? `${path} is damaged` : `${path} cannot be read (${code})`;
}
