import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { changedBy } from '../database/rows';

/** As long as the server bears with a session that stands still: whoever takes over then finds no locks. */
const LEASE_MS = 4000;

export class LeaseLost extends Error {}

/** The right to count one website. Each use raises its token, so that who lost it in between cannot use it. */
export class CountingLease {
  private constructor(
    private readonly database: Database,
    readonly websiteId: number,
    private readonly owner: string,
    private token: number,
  ) {}

  /** Undefined while another process holds it. */
  static take(database: Database, websiteId: number, owner: string): Promise<CountingLease | undefined> {
    return this.acquire(database, websiteId, owner, `(owner = ? OR expires_at < ${database.dialect.now})`);
  }

  /** Takes it from whoever holds it: the raised token keeps the former owner out. */
  static async seize(database: Database, websiteId: number, owner: string): Promise<CountingLease> {
    return (await this.acquire(database, websiteId, owner, '(owner = ? OR TRUE)'))!;
  }

  private static acquire(
    database: Database,
    websiteId: number,
    owner: string,
    condition: string,
  ): Promise<CountingLease | undefined> {
    const { now, insertIfMissing } = database.dialect;
    return database.write(async (manager) => {
      const take = () =>
        changedBy(
          manager,
          `UPDATE counting SET owner = ?, token = token + 1, expires_at = ${now} + ${LEASE_MS}
          WHERE website_id = ? AND ${condition}`,
          [owner, websiteId, owner],
        );
      // Inserting first would lock a row that is there for reading, and two who then want it would lock each other out.
      const add = () =>
        changedBy(
          manager,
          `${insertIfMissing} counting (website_id, owner, token, expires_at, folds, archived_from)
          VALUES (?, '', 0, 0, 0, 0)`,
          [websiteId],
        );
      const taken = (await take()) === 1 || ((await add()) === 1 && (await take()) === 1);
      if (!taken) return undefined;
      const [row] = await manager.query<{ token: number }[]>(
        'SELECT token FROM counting WHERE website_id = ?',
        [websiteId],
      );
      return new CountingLease(database, websiteId, owner, Number(row!.token));
    });
  }

  /** The first statement of each transaction under the lease; returns the number of this use. */
  async use(manager: EntityManager): Promise<number> {
    const raised = await changedBy(
      manager,
      `UPDATE counting SET token = token + 1, folds = folds + 1, expires_at = ${this.database.dialect.now} + ${LEASE_MS}
      WHERE website_id = ? AND owner = ? AND token = ?`,
      [this.websiteId, this.owner, this.token],
    );
    if (raised !== 1) throw new LeaseLost();
    const [row] = await manager.query<{ folds: number }[]>(
      'SELECT folds FROM counting WHERE website_id = ?',
      [this.websiteId],
    );
    return Number(row!.folds);
  }

  /** The use was committed, so the next one has to show the raised token. */
  used(): void {
    this.token++;
  }

  release(): Promise<unknown> {
    return this.database.write((manager) =>
      manager.query('UPDATE counting SET expires_at = 0 WHERE website_id = ? AND owner = ? AND token = ?', [
        this.websiteId,
        this.owner,
        this.token,
      ]),
    );
  }
}
