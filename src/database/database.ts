import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { readerOptions } from './data-source-options';
import { type Dialect, dialectOf } from './dialect';
import { errorCode } from '../common/error-code';
import { DatabaseUnavailable } from './errors';
import { changeOver } from './one-statement';
import { Overdue, taken, within } from './overdue';
import { changedBy } from './rows';
import { Turns } from './turns';

type Work<T> = (manager: EntityManager) => Promise<T>;

/** For what is found by its key, and stands between a request and its answer. */
export const LOOK_UP_PATIENCE_MS = 1500;
const FIRST_ANSWER_MS = 1500;
const PATIENCE_MS = 10_000;
const PROMPT_MS = 300;
const ATTEMPTS = 5;

/** The one way to the tables: what is read is of one moment, what is written all or nothing, and nothing waits for ever. */
export class Database {
  private readonly writing = new Turns();
  private readonly reading = new Turns();

  private constructor(
    readonly dialect: Dialect,
    readonly writer: DataSource,
    private readonly reader: DataSource,
  ) {}

  /**
   * Reads have connections of their own: on SQLite a read would see half of a write on the same one. The writer is
   * closed last, since only who may write can bring SQLite's log into the file.
   */
  static async over(writer: DataSource): Promise<Database> {
    const reader = new DataSource(readerOptions(writer.options));
    await reader.initialize();
    const closeWriter = writer.destroy.bind(writer);
    writer.destroy = () => reader.destroy().then(closeWriter);
    return new Database(dialectOf(writer), writer, reader);
  }

  /** Reads in one snapshot: two reads of the same work never disagree. The work may be run again. */
  read<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) =>
      this.inTurn(this.reading, () => this.overAnother(() => this.readOnce(work, deadline))),
    );
  }

  /** A read that stands between a request and its answer. */
  look<T>(work: Work<T>): Promise<T> {
    return this.read(work, LOOK_UP_PATIENCE_MS);
  }

  /** All or nothing. The work may be run again when another transaction was in its way, and opens no other. */
  write<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) =>
      this.inTurn(this.writing, () => this.writeOnce(work, deadline)),
    );
  }

  /** One statement, which is all or nothing by itself; tells how many rows it changed. */
  change(sql: string, parameters: unknown[], patienceMs = PATIENCE_MS): Promise<number> {
    if (this.dialect.oneConnection)
      return this.write((manager) => changedBy(manager, sql, parameters), patienceMs);
    return this.trying(patienceMs, (deadline) => changeOver(this.mysqlDriver, sql, parameters, deadline));
  }

  /** Milliseconds since 1970 by the database's own clock. */
  now(): Promise<number> {
    return this.look(async (manager) => {
      const [row] = await manager.query<{ moment: number }[]>(`SELECT ${this.dialect.now} AS moment`);
      return Number(row!.moment);
    });
  }

  /**
   * Whether it answers at all, which takes no time worth mentioning where it does. Reads may have all their connections;
   * SQLite works inside this process, where whoever waits for it waits for another's turn to end.
   */
  async isAnswering(): Promise<boolean> {
    if (this.dialect.oneConnection) return true;
    return changeOver(this.mysqlDriver, 'DO 0', [], Date.now() + PROMPT_MS).then(
      () => true,
      () => false,
    );
  }

  isDuplicate(error: unknown): boolean {
    return this.dialect.isDuplicate(errorCode(error));
  }

  private get mysqlDriver(): MysqlDriver {
    return this.writer.driver as MysqlDriver;
  }

  private inTurn<T>(turns: Turns, run: () => Promise<T>): Promise<T> {
    return this.dialect.oneConnection ? turns.take(run) : run();
  }

  private async trying<T>(patienceMs: number, attempted: (deadline: number) => Promise<T>): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await attempted(deadline);
      } catch (error) {
        const code = errorCode(error);
        const again = attempt < ATTEMPTS && Date.now() < deadline;
        if (again && this.dialect.isConflict(code)) await sleep(Math.random() * 20 * attempt);
        else if (error instanceof Overdue || this.dialect.isUnavailable(code))
          throw new DatabaseUnavailable(error);
        else throw error;
      }
    }
  }

  /** What was read is right whatever becomes of the COMMIT, so a server is not waited for. */
  private async readOnce<T>(work: Work<T>, deadline: number): Promise<T> {
    const runner = await this.opened(this.reader, this.dialect.beginRead, deadline - Date.now());
    const result = await this.guarded(runner, () => this.bounded(deadline, work(runner.manager)));
    const ended = this.commit(runner, Date.now() + FIRST_ANSWER_MS).catch(() => undefined);
    if (this.dialect.oneConnection) await ended;
    return result;
  }

  private async writeOnce<T>(work: Work<T>, deadline: number): Promise<T> {
    const runner = await this.overAnother(() =>
      this.opened(this.writer, this.dialect.beginWrite, FIRST_ANSWER_MS),
    );
    const result = await this.guarded(runner, () => this.bounded(deadline, work(runner.manager)));
    await this.commit(runner, deadline);
    return result;
  }

  private async commit(runner: QueryRunner, deadline: number): Promise<void> {
    await this.guarded(runner, () => this.bounded(deadline, runner.query('COMMIT')));
    await runner.release();
  }

  /** SQLite works inside this process: it cannot keep anyone waiting, and could not be abandoned either. */
  private bounded<T>(deadline: number, work: Promise<T>): Promise<T> {
    return this.dialect.oneConnection ? work : within(deadline - Date.now(), work);
  }

  private async opened(source: DataSource, begin: string[], patienceMs: number): Promise<QueryRunner> {
    const runner = source.createQueryRunner();
    await taken(patienceMs, runner.connect(), () => runner.release());
    for (const statement of begin)
      await this.guarded(runner, () => within(FIRST_ANSWER_MS, runner.query(statement)));
    return runner;
  }

  /** A pooled connection may have died unnoticed; as long as nothing was written, another one is asked. */
  private async overAnother<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.dialect.isLost(errorCode(error))) return work();
      throw error;
    }
  }

  private async guarded<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const rolledBack =
        !(error instanceof Overdue) &&
        (await within(FIRST_ANSWER_MS, runner.query('ROLLBACK')).then(
          () => true,
          () => false,
        ));
      if (rolledBack || this.dialect.oneConnection) await runner.release();
      else discard(runner);
      throw error;
    }
  }
}

/** A connection that did not answer must not return to the pool. */
function discard(runner: QueryRunner): void {
  const destroyed = runner.connect().then((connection: { destroy(): void }) => connection.destroy());
  destroyed.then(
    () => runner.release(),
    () => undefined,
  );
}
