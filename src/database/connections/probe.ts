import { type ConnectionOptions, createConnection } from 'mysql2';
import type { MysqlDataSourceOptions } from 'typeorm/driver/mysql/MysqlDataSourceOptions';
import { withTimeout } from '../../common/time/timeout';
import { meaningOnMysql } from './error-meaning';

/** A busy machine takes a while to open a connection. */
const PATIENCE_MS = 1000;

/** Asks a server whether it answers, over a connection that no pool has: all of a pool may wait for locks. */
export class Probe {
  private asking: Promise<boolean> | undefined;

  constructor(private readonly options: MysqlDataSourceOptions) {}

  /** All who ask at once share the answer; there is none in time where the server is frozen. */
  isAnswering(patienceMs = PATIENCE_MS): Promise<boolean> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return withTimeout(patienceMs, this.asking).catch(() => false);
  }

  /** A server that has no connection left answers that. */
  private async ask(): Promise<boolean> {
    const { host, port, username: user, password, database } = this.options;
    const ssl = this.options.ssl as ConnectionOptions['ssl'];
    const connection = createConnection({ host, port, user, password, database, ssl });
    // The driver throws what nobody listens to.
    connection.on('error', () => undefined);
    const answer = new Promise<void>((resolve, reject) => {
      connection.query('DO 0', (error) => (error ? reject(error) : resolve()));
    });
    try {
      await withTimeout(PATIENCE_MS, answer);
      connection.end();
      return true;
    } catch (error) {
      connection.destroy();
      return meaningOnMysql(error) === 'busy';
    }
  }
}
