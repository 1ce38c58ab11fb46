import { Injectable } from '@nestjs/common';
import { Database, LOOK_UP_PATIENCE_MS } from '../../database/database';

/** The sessions that somebody signed out of, until they would have ended anyway. */
@Injectable()
export class EndedSessions {
  constructor(private readonly database: Database) {}

  async has(id: Buffer): Promise<boolean> {
    const rows = await this.database.readQuick((manager) =>
      manager.query<unknown[]>('SELECT 1 FROM ended_sessions WHERE session = ?', [id]),
    );
    return rows.length > 0;
  }

  async add(id: Buffer, endsAt: number): Promise<void> {
    const { insertIfMissing } = this.database.dialect;
    await this.database.write(async (manager) => {
      await manager.query(`${insertIfMissing} ended_sessions (session, ends_at) VALUES (?, ?)`, [id, endsAt]);
    }, LOOK_UP_PATIENCE_MS);
  }
}
