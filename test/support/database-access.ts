import { sqliteDriver } from '../../engine/database/connections/drivers';
import { type Connection, createConnection } from 'mysql2/promise';
import { meaningOnMysql, meaningOnSqlite } from '../../engine/database/connections/error-meaning';
import { until } from './until';

/** The rows of a query, read without the service. */
export async function select<T>(url: string, query: string): Promise<T[]> {
  if (url.startsWith('sqlite:')) {
    const connection = new (sqliteDriver())(url.slice('sqlite:'.length));
    const rows = connection.prepare(query).all() as T[];
    connection.close();
    return rows;
  }
  const connection = await createConnection(url);
  const [rows] = await connection.query(query);
  await connection.end();
  return rows as T[];
}

/** Runs a statement without the service. */
export async function change(url: string, statement: string): Promise<void> {
  if (url.startsWith('sqlite:')) return changeOnSqlite(url.slice('sqlite:'.length), statement);
  const connection = await createConnection(url);
  try {
    await changeOnMysql(connection, statement);
  } finally {
    connection.destroy();
  }
}

/** A service of this process may be writing, and cannot go on while the process waits. */
async function changeOnSqlite(path: string, statement: string): Promise<void> {
  const connection = new (sqliteDriver())(path, { timeout: 0 });
  try {
    await until(() => {
      try {
        connection.exec(statement);
        return true;
      } catch (error) {
        if (meaningOnSqlite(error) !== 'conflict') throw error;
        return false;
      }
    });
  } finally {
    connection.close();
  }
}

/** Writes of the service may deadlock with the statement: MariaDB then rolls back one of the two. */
async function changeOnMysql(connection: Connection, statement: string, attempts = 10): Promise<void> {
  try {
    await connection.query(statement);
  } catch (error) {
    if (attempts === 1 || meaningOnMysql(error) !== 'conflict') throw error;
    await changeOnMysql(connection, statement, attempts - 1);
  }
}
