import type { QueryRunner } from 'typeorm';
import type { EntityDatabase } from '../../src/database/entity-database';

class Killed extends Error {}

/** Kills a process before one of its changing statements: it runs none of the later ones. */
export class Killer {
  readonly statements: string[] = [];
  /** Called when the process is killed. */
  onKilled: () => void = () => undefined;
  private readonly runners = new WeakSet<QueryRunner>();
  private lives = Infinity;
  private isChanging = false;

  /** Statements that match are counted, and the commits after them. */
  constructor(
    database: EntityDatabase,
    private readonly changes: RegExp,
  ) {
    const source = database.writer;
    const create = source.createQueryRunner.bind(source);
    source.createQueryRunner = () => this.watched(create());
    const execute = database.execute.bind(database);
    database.execute = async (sql, parameters) => {
      this.count(sql);
      return execute(sql, parameters);
    };
  }

  /** Runs a process until it is killed before the statement of this number. Returns false if it ends before. */
  async during(number: number, work: () => Promise<void>): Promise<boolean> {
    this.statements.length = 0;
    this.lives = number;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    const isKilled = this.lives < 0;
    this.lives = Infinity;
    return isKilled;
  }

  /** SQLite has one runner for all. */
  private watched(runner: QueryRunner): QueryRunner {
    if (this.runners.has(runner)) return runner;
    this.runners.add(runner);
    const query = runner.query.bind(runner) as (...parameters: unknown[]) => Promise<unknown>;
    runner.query = (async (sql: string, ...others: unknown[]) => {
      if (sql !== 'ROLLBACK') this.count(sql);
      return query(sql, ...others);
    }) as QueryRunner['query'];
    return runner;
  }

  private count(sql: string): void {
    if (this.lives < 0) throw new Killed();
    const isChange = this.changes.test(sql);
    const isCounted = isChange || (sql === 'COMMIT' && this.isChanging);
    this.isChanging = isChange || (this.isChanging && sql !== 'COMMIT');
    if (!isCounted) return;
    this.statements.push(sql.replace(/\s+/g, ' ').slice(0, 60));
    if (--this.lives >= 0) return;
    this.onKilled();
    throw new Killed();
  }
}
