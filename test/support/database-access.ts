import SqliteConnection from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';

/** Runs a statement behind the back of the service. */
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
