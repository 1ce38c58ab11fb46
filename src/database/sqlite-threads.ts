import type { DataSource, QueryRunner } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';
import type { RunnerSource } from './connections';
import { SqliteThread } from './sqlite-thread';
import { SqliteThreadRunner } from './sqlite-thread-runner';

const MAX_THREADS = 2;

/** A pool of threads that read an SQLite file, each over a connection of its own. They are started when needed. */
export class SqliteThreads implements RunnerSource {
  private readonly threads = new Set<SqliteThread>();
  private free: SqliteThread[] = [];
  private readonly waiting: ((thread: SqliteThread) => void)[] = [];
  private closed = false;

  /** The data source of the same file tells the runners what the entities are. */
  constructor(private readonly source: DataSource) {}

  createQueryRunner(): QueryRunner {
    const runner = new SqliteThreadRunner(this.source.driver as BetterSqlite3Driver, this);
    return Object.assign(runner, { manager: this.source.createEntityManager(runner) });
  }

  take(): Promise<SqliteThread> {
    const thread = this.free.pop() ?? this.started();
    return thread ? Promise.resolve(thread) : new Promise((resolve) => this.waiting.push(resolve));
  }

  giveBack(thread: SqliteThread): void {
    if (thread.isEnding) return;
    const next = this.waiting.shift();
    if (next) next(thread);
    else this.free.push(thread);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const thread of this.threads) thread.destroy();
    await Promise.all([...this.threads].map(({ ended }) => ended));
  }

  private started(): SqliteThread | undefined {
    if (this.closed || this.threads.size >= MAX_THREADS) return undefined;
    const thread = new SqliteThread(String(this.source.options.database));
    this.threads.add(thread);
    void thread.ended.then(() => this.replace(thread));
    return thread;
  }

  /** A thread in the middle of a statement ends with it, so its place is taken only then. */
  private replace(ended: SqliteThread): void {
    this.threads.delete(ended);
    this.free = this.free.filter((thread) => thread !== ended);
    if (this.waiting.length === 0) return;
    const thread = this.started();
    if (thread) this.waiting.shift()!(thread);
  }
}
