import type { PoolConnection, ResultSetHeader } from 'mysql2';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { withTimeout, withTimeoutOrRelease } from '../../common/time/timeout';
import { endsConnection, meaningOnMysql } from './error-meaning';

/** Asks the driver itself, since what TypeORM does around a statement takes longer than the statement. */
export async function executeOn(
  driver: MysqlDriver,
  sql: string,
  parameters: unknown[],
  deadline: number,
): Promise<number> {
  const opening = driver.obtainMasterConnection() as Promise<PoolConnection>;
  const connection = await withTimeoutOrRelease(deadline - performance.now(), opening, (late) =>
    late.release(),
  );
  try {
    const { affectedRows } = await withTimeout(
      deadline - performance.now(),
      answered(connection, sql, parameters),
    );
    return affectedRows;
  } catch (error) {
    if (endsConnection(meaningOnMysql(error))) connection.destroy();
    throw error;
  } finally {
    connection.release();
  }
}

function answered(connection: PoolConnection, sql: string, parameters: unknown[]): Promise<ResultSetHeader> {
  return new Promise((resolve, reject) => {
    connection.query<ResultSetHeader>(sql, parameters, (error, result) =>
      error ? reject(error) : resolve(result),
    );
  });
}
