import type { Database } from './database';

/** A right to do something that one process at a time may do; it ends by itself where its owner dies. */
export class Leases {
  constructor(private readonly database: Database) {}

  /** Takes or renews a lease by the database's clock; false where another owner holds it. */
  take(name: string, owner: string, milliseconds: number): Promise<boolean> {
    const { now, insertIfMissing } = this.database.dialect;
    return this.database.write(async (manager) => {
      await manager.query(`${insertIfMissing} leases (name, owner, expires_at) VALUES (?, '', 0)`, [name]);
      await manager.query(
        `UPDATE leases SET owner = ?, expires_at = ${now} + ?
        WHERE name = ? AND (owner = ? OR expires_at < ${now})`,
        [owner, milliseconds, name, owner],
      );
      const [lease] = await manager.query<{ owner: string }[]>('SELECT owner FROM leases WHERE name = ?', [
        name,
      ]);
      return lease?.owner === owner;
    });
  }

  async release(name: string, owner: string): Promise<void> {
    await this.database.write((manager) =>
      manager.query('UPDATE leases SET expires_at = 0 WHERE name = ? AND owner = ?', [name, owner]),
    );
  }
}
