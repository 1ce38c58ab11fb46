import type { Worker } from 'node:worker_threads';
import { builtFile } from '../common/built-file';
import { startThread } from '../common/start-thread';

export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** Part of a statement's rows. Each part is asked for, so that a long result does not hold the event loop. */
export interface RowsPart {
  columns: string[];
  rows: unknown[][];
  isLast: boolean;
}

export type Row = Record<string, unknown>;
export type ThreadAnswer = RowsPart | { error: { message: string; code: string | undefined } };

const WORKER = 'src/database/sqlite-thread.worker.js';
/** It holds a part of a result at a time; the page cache of SQLite is not in the heap. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** A thread with a connection for reading. It runs one statement at a time. */
export class SqliteThread {
  isEnding = false;
  readonly ended: Promise<void>;
  private readonly worker: Worker;
  private answered: { resolve: (part: RowsPart) => void; reject: (error: Error) => void } | undefined;

  constructor(path: string) {
    this.worker = startThread(builtFile(WORKER), LIMITS, path);
    this.worker.on('message', (answer: ThreadAnswer) => this.settle(answer));
    this.worker.on('error', (error) => this.answered?.reject(error));
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', () => {
        this.isEnding = true;
        this.answered?.reject(new Error('The thread has ended.'));
        resolve();
      });
    });
  }

  async query(sql: string, parameters: unknown[]): Promise<Row[]> {
    const rows: Row[] = [];
    let part = await this.ask({ sql, parameters });
    for (;;) {
      for (const values of part.rows) rows.push(rowOf(part.columns, values));
      if (part.isLast) return rows;
      part = await this.ask('next');
    }
  }

  /** Ends the thread, whatever it does. */
  destroy(): void {
    this.isEnding = true;
    void this.worker.terminate();
  }

  private ask(message: Statement | 'next'): Promise<RowsPart> {
    return new Promise((resolve, reject) => {
      if (this.isEnding) return reject(new Error('The thread has ended.'));
      this.answered = { resolve, reject };
      this.worker.postMessage(message);
    });
  }

  private settle(answer: ThreadAnswer): void {
    if ('error' in answer)
      this.answered?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
    else this.answered?.resolve(answer);
  }
}

/** Bytes lose their class on the way between threads. */
function rowOf(columns: string[], values: unknown[]): Row {
  const row: Row = {};
  for (let index = 0; index < columns.length; index++) {
    const value = values[index];
    row[columns[index]!] =
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
  }
  return row;
}
