import { randomBytes } from 'node:crypto';
import type { ClickhouseAddress } from '../../engine/database/hit-settings';
import { Child } from './child';

const [USER, PASSWORD] = ['milepost', 'secret-of-clickhouse'];

/** ClickHouse in a process of its own. */
export class Clickhouse {
  private constructor(
    private readonly child: Child,
    readonly port: number,
  ) {}

  static async start(): Promise<Clickhouse> {
    const child = new Child(process.execPath, ['test/clickhouse/server.mjs', USER, PASSWORD], {});
    const [, port] = await child.prints(/^(\d+)\n/);
    return new Clickhouse(child, Number(port));
  }

  /** A table that does not exist yet, behind this port. */
  freshTable(port = this.port): ClickhouseAddress {
    const table = `hits_${randomBytes(6).toString('hex')}`;
    const server = { host: '127.0.0.1', port, tls: false, user: USER, password: PASSWORD };
    return { kind: 'clickhouse', ...server, database: 'default', table };
  }

  /** Runs a statement as anybody would. */
  async query<Row extends unknown[]>(sql: string): Promise<Row[]> {
    const response = await fetch(`http://127.0.0.1:${this.port}/`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}` },
      body: sql,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }
}
