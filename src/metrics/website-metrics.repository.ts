import { Injectable } from '@nestjs/common';
import { Database } from '../../engine/database/database';
import { placeholdersFor } from '../../engine/database/rows';
import type { OnlyThese } from '../websites/websites.repository';

export interface MeasuredWebsite {
  id: number;
  domain: string;
  hasGoals: boolean;
}

const HAS_GOALS = 'EXISTS (SELECT 1 FROM goals WHERE goals.website_id = website.id)';

@Injectable()
export class WebsiteMetricsRepository {
  constructor(private readonly database: Database) {}

  /** The first websites of an owner, or those among them that a key is limited to. */
  find(ownerId: number, only: OnlyThese, most: number): Promise<MeasuredWebsite[]> {
    const among = only ? `AND website.id IN ${placeholdersFor(only)}` : '';
    return this.database.readQuick(async (manager) => {
      const rows = await manager.query<{ id: number | string; domain: string; has_goals: number | string }[]>(
        `SELECT website.id AS id, website.domain AS domain, CASE WHEN ${HAS_GOALS} THEN 1 ELSE 0 END AS has_goals
        FROM websites website WHERE website.user_id = ? ${among} ORDER BY website.id LIMIT ${most}`,
        [ownerId, ...(only ?? [])],
      );
      return rows.map(({ id, domain, has_goals }) => ({
        id: Number(id),
        domain,
        hasGoals: Number(has_goals) === 1,
      }));
    });
  }

  /** Tells whether more than this number of an owner's websites have goals. */
  haveMoreGoalsThan(ownerId: number, most: number): Promise<boolean> {
    return this.database.readQuick(async (manager) => {
      const rows = await manager.query<object[]>(
        `SELECT website.id FROM websites website WHERE website.user_id = ? AND ${HAS_GOALS} LIMIT ${most + 1}`,
        [ownerId],
      );
      return rows.length > most;
    });
  }
}
