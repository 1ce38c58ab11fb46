import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner';
import { QueryResult } from 'typeorm/query-runner/QueryResult';
import type { SqliteThread } from './sqlite-thread';

interface ThreadPool {
  take(): Promise<SqliteThread>;
  giveBack(thread: SqliteThread): void;
}

/** Runs TypeORM's statements for SQLite in a thread. */
export class SqliteThreadRunner extends BetterSqlite3QueryRunner {
  private taken: Promise<SqliteThread> | undefined;

  constructor(
    driver: BetterSqlite3Driver,
    private readonly threads: ThreadPool,
  ) {
    super(driver);
  }

  override connect(): Promise<SqliteThread> {
    return (this.taken ??= this.threads.take());
  }

  override async release(): Promise<void> {
    const { taken } = this;
    this.taken = undefined;
    this.isReleased = true;
    if (taken) this.threads.giveBack(await taken);
  }

  override async query<T>(sql: string, parameters: unknown[] = [], structured = false): Promise<T> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const bound = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    const thread = await this.connect();
    const rows = await thread.query(sql, bound).catch((error: Error) => {
      throw new QueryFailedError(sql, bound, error);
    });
    if (!structured) return rows as T;
    return Object.assign(new QueryResult(), { raw: rows, records: rows }) as T;
  }
}
