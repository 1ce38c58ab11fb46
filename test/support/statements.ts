import { AsyncLocalStorage } from 'node:async_hooks';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner';
import type { TestApp } from './test-app';

interface Statement {
  sql: string;
  rows: number;
}

/** The statements that a service runs in this thread for requests, with the number of rows of each. */
export async function statementsOf({ app }: TestApp, ask: () => Promise<unknown>): Promise<Statement[]> {
  const requests = new AsyncLocalStorage<Statement[]>();
  const statements: Statement[] = [];
  const server = app.getHttpServer();
  const enter = () => requests.enterWith(statements);
  server.prependListener('request', enter);
  const runners = [BetterSqlite3QueryRunner, MysqlQueryRunner].map(({ prototype }) => {
    const query = jest.spyOn(prototype, 'query');
    const original = query.getMockImplementation()!;
    return query.mockImplementation(async function (this: unknown, ...parameters) {
      const statement = { sql: parameters[0], rows: 0 };
      // Recorded first: a request is answered before its last statement, a COMMIT, has ended.
      requests.getStore()?.push(statement);
      const result = (await original.apply(this, parameters)) as unknown;
      statement.rows = rowsOf(result);
      return result;
    });
  });
  try {
    await ask();
  } finally {
    server.off('request', enter);
    for (const spy of runners) spy.mockRestore();
  }
  return statements;
}

/** A runner returns rows, or an object that contains them. */
function rowsOf(result: unknown): number {
  const rows = (result as { records?: unknown } | undefined)?.records ?? result;
  return Array.isArray(rows) ? rows.length : 0;
}
