import { SqliteConnection } from '../../src/database/connections/data-source-options';
import { createConnection } from 'mysql2/promise';

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
  await connection.query(statement);
  await connection.end();
}
