import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NotFound } from '../../common/problems';
import { offsetOf, type Rows } from '../../../engine/ground/rows';
import { EntityDatabase } from '../../database/entity-database';
import { expectWebsite } from '../../websites/resources/resources.repository';
import { type Firing, firingOf, type FiringRow } from './firing';

interface PageOf {
  page: number;
  per_page: number;
}

const OF_ALERT = 'FROM alert_firings WHERE alert_id = ?';
const LATEST_FIRST = 'ORDER BY fired_at DESC, id DESC';

/** The firings of an owner's alerts. */
@Injectable()
export class FiringsRepository {
  constructor(private readonly database: EntityDatabase) {}

  page(ownerId: number, websiteId: number, alertId: number, query: PageOf): Promise<Rows<Firing>> {
    return this.database.readQuick(async (manager) => {
      await expectOwned(manager, ownerId, websiteId, alertId);
      const rows = await manager.query<FiringRow[]>(
        `SELECT * ${OF_ALERT} ${LATEST_FIRST} LIMIT ${query.per_page} OFFSET ${offsetOf(query)}`,
        [alertId],
      );
      return { rows: rows.map(firingOf), total: await countOf(manager, alertId) };
    });
  }

  all(ownerId: number, websiteId: number, alertId: number): Promise<Firing[]> {
    return this.database.read(async (manager) => {
      await expectOwned(manager, ownerId, websiteId, alertId);
      const rows = await manager.query<FiringRow[]>(`SELECT * ${OF_ALERT} ${LATEST_FIRST}`, [alertId]);
      return rows.map(firingOf);
    });
  }

  /** Changes with the list: firings are added, and the oldest expire. */
  version(ownerId: number, websiteId: number, alertId: number): Promise<unknown[]> {
    return this.database.readQuick(async (manager) => {
      await expectOwned(manager, ownerId, websiteId, alertId);
      const [row] = await manager.query<Record<'oldest' | 'latest', number | string | null>[]>(
        `SELECT MIN(id) AS oldest, MAX(id) AS latest ${OF_ALERT}`,
        [alertId],
      );
      return [row!.oldest, row!.latest].map((id) => id && Number(id));
    });
  }

  /** Unscoped: for the mails about it. */
  async findUnscoped(id: number): Promise<Firing | undefined> {
    const [row] = await this.database.read((manager) =>
      manager.query<FiringRow[]>('SELECT * FROM alert_firings WHERE id = ?', [id]),
    );
    return row && firingOf(row);
  }
}

async function countOf(manager: EntityManager, alertId: number): Promise<number> {
  const [row] = await manager.query<{ total: number | string }[]>(`SELECT COUNT(*) AS total ${OF_ALERT}`, [
    alertId,
  ]);
  return Number(row!.total);
}

async function expectOwned(
  manager: EntityManager,
  userId: number,
  websiteId: number,
  id: number,
): Promise<void> {
  await expectWebsite(manager, userId, websiteId);
  const own = await manager.query<object[]>('SELECT 1 FROM alerts WHERE website_id = ? AND id = ?', [
    websiteId,
    id,
  ]);
  if (own.length === 0) throw new NotFound('Alert');
}
