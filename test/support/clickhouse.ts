import { randomBytes } from 'node:crypto';
import { ClickhouseDays } from '../../engine/clickhouse/clickhouse-days';
import type { ClickhouseAddress } from '../../engine/database/hit-settings';
import { Child } from './child';
import { size } from './sizes';

const ONE_IN = size('CLICKHOUSE_ONE_IN', 16, 8);
export const [USER, PASSWORD] = ['milepost', 'secret-of-clickhouse'];

/** ClickHouse in a process of its own. */
export class Clickhouse {
  private home: ClickhouseDays | undefined;

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

  /** A home for each website with a number, because each page of rows is a request; the others have none. */
  homeOf(websiteId: number): ClickhouseDays | undefined {
    return websiteId % ONE_IN === 1 ? (this.home ??= new ClickhouseDays(this.freshTable())) : undefined;
  }

  /** The settings of a service whose days move to a fresh table behind this port. */
  settingsFor(port = this.port): Record<'HITS_URL' | 'HITS_FROM', string> {
    const { user, password, host, database, table } = this.freshTable(port);
    return {
      HITS_URL: `clickhouse://${user}:${password}@${host}:${port}/${database}?table=${table}`,
      HITS_FROM: '0',
    };
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
