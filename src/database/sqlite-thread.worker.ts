import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite';
import type { RowsPart, Statement, ThreadAnswer } from './sqlite-thread';

const MAX_ROWS = 2000;
const MAX_BYTES = 1024 * 1024;
const BUSY_MS = 300;

const connection = new SqliteConnection(workerData as string, { readonly: true, timeout: BUSY_MS });
let columns: string[] = [];
let rows: Iterator<unknown[], undefined> = [].values();

/** The entry point of a thread that reads an SQLite file; `SqliteThread` is its other side. */
parentPort!.on('message', (message: Statement | 'next') => parentPort!.postMessage(answerTo(message)));

function answerTo(message: Statement | 'next'): ThreadAnswer {
  try {
    if (message !== 'next') begin(message);
    return nextPart();
  } catch (error) {
    const { message: text, code } = error as NodeJS.ErrnoException;
    return { error: { message: text, code } };
  }
}

function begin({ sql, parameters }: Statement): void {
  const statement = connection.prepare<unknown[], unknown[]>(sql);
  columns = statement.reader ? statement.columns().map(({ name }) => name) : [];
  if (statement.reader) rows = statement.raw().iterate(...parameters);
  else statement.run(...parameters);
}

function nextPart(): RowsPart {
  const part: unknown[][] = [];
  let bytes = 0;
  while (columns.length > 0 && part.length < MAX_ROWS && bytes < MAX_BYTES) {
    const next = rows.next();
    if (next.done) return { columns, rows: part, isLast: true };
    part.push(next.value);
    for (const cell of next.value) bytes += sizeOf(cell);
  }
  return { columns, rows: part, isLast: columns.length === 0 };
}

function sizeOf(cell: unknown): number {
  return typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8;
}
