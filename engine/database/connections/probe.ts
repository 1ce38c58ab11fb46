import type { ConnectionOptions } from 'mysql2';
import { patience } from '../../ground/time/patience';
import { withTimeout } from '../../ground/time/timeout';
import { mysqlDriver } from './drivers';
import { meaningOnMysql } from './error-meaning';

/** Checks whether a server answers, over a separate connection: all of a pool's may be waiting for locks. */
export class Probe {
  private asking: Promise<boolean> | undefined;

  constructor(private readonly options: ConnectionOptions) {}

  /** Concurrent callers share the answer. False if a frozen server does not answer in time. */
  isAnswering(): Promise<boolean> {
    return (this.asking ??= this.ask().finally(() => (this.asking = undefined)));
  }

  /** A server without free connections still answers with an error. */
  private async ask(): Promise<boolean> {
    const connection = mysqlDriver().createConnection(this.options);
    // The driver throws errors without a listener.
    connection.on('error', () => undefined);
    const answer = new Promise<void>((resolve, reject) => {
      connection.query('DO 0', (error) => (error ? reject(error) : resolve()));
    });
    try {
      await withTimeout(patience.probeMs, answer);
      connection.end();
      return true;
    } catch (error) {
      connection.destroy();
      return meaningOnMysql(error) === 'busy';
    }
  }
}
