import { SqliteConnection } from '../../src/database/connections/drivers';
import { type Connection, createConnection } from 'mysql2/promise';
import { meaningOnMysql } from '../../src/database/connections/error-meaning';

/** The rows of a query, read without the service. */
export async function select<T>(url: string, query: string): Promise<T[]> {
  if (url.startsWith('sqlite:')) {
    const connection = new SqliteConnection(url.slice('sqlite:'.length));
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
  if (url.startsWith('sqlite:')) {
    const connection = new SqliteConnection(url.slice('sqlite:'.length));
    connection.exec(statement);
    connection.close();
    return;
  }
  const connection = await createConnection(url);
  try {
    await changeOnMysql(connection, statement);
  } finally {
    connection.destroy();
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
