import type { PoolConnection, ResultSetHeader } from 'mysql2';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { Overdue, within } from './overdue';

/** Asks the driver itself, since what TypeORM does around a statement takes longer than the statement. */
export async function changeOver(
  driver: MysqlDriver,
  sql: string,
  parameters: unknown[],
  deadline: number,
): Promise<number> {
  const connection = await opened(driver, deadline);
  try {
    const { affectedRows } = await within(deadline - Date.now(), answered(connection, sql, parameters));
    return affectedRows;
  } catch (error) {
    if (error instanceof Overdue) connection.destroy();
    throw error;
  } finally {
    connection.release();
  }
}

/** A connection that arrives too late must not be lost to the pool. */
async function opened(driver: MysqlDriver, deadline: number): Promise<PoolConnection> {
  const opening = driver.obtainMasterConnection() as Promise<PoolConnection>;
  try {
    return await within(deadline - Date.now(), opening);
  } catch (error) {
    opening.then(
      (late) => late.release(),
      () => undefined,
    );
    throw error;
  }
}

function answered(connection: PoolConnection, sql: string, parameters: unknown[]): Promise<ResultSetHeader> {
  return new Promise((resolve, reject) => {
    connection.query<ResultSetHeader>(sql, parameters, (error, result) =>
      error ? reject(error) : resolve(result),
    );
  });
}
