import { Injectable } from '@nestjs/common';
import { Goal } from '../../goals/goals/goal.entity';
import { Database } from '../../database/database';
import { type Lease, LeaseLost } from '../../database/lease';
import { placesFor } from '../../database/rows';
import {
  beginFollowing,
  endFollowing,
  type FollowedWebsite,
  type Places,
  readPlaces,
  storePlaces,
} from '../../storage/followed-websites';
import { WebhookDeliveries } from '../deliveries/new-deliveries';

const USERS_AT_ONCE = 100;
const WEBSITES_AT_ONCE = 200;
/** A part of the column `events`, which no other event contains. */
const WANTED = "enabled = 1 AND events LIKE '%goal.reached%'";

/** A website whose owner wants to know of conversions. */
export interface WantedWebsite {
  id: number;
  userId: number;
  domain: string;
  /** Undefined if it is not followed yet. */
  followed: FollowedWebsite | undefined;
}

/** What came of a reading. */
export interface Reading {
  places: Places;
  folds: number;
  readAt: number;
  today: number;
  /** Undefined without conversions. */
  content: object | undefined;
}

interface WantedRow {
  id: number | string;
  userId: number | string;
  domain: string;
  folds: number | string | null;
  readAt: number | string | null;
}

/** Another process read the website, or it is not followed any more. */
class ReadElsewhere extends Error {}

/** The websites of all users that are followed for conversions. */
@Injectable()
export class FollowedRepository {
  constructor(
    private readonly database: Database,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  /** Whether there is anything to follow, or that was followed. */
  async hasWork(): Promise<boolean> {
    const rows = await this.database.read((manager) =>
      manager.query<object[]>(
        `SELECT 1 FROM users WHERE EXISTS (SELECT 1 FROM webhooks WHERE ${WANTED})
          OR EXISTS (SELECT 1 FROM followed_websites) LIMIT 1`,
      ),
    );
    return rows.length > 0;
  }

  /** Pages of websites with goals that are not followed yet, or have new hits and were not read since a moment. */
  async *findDue(readBefore: number): AsyncGenerator<WantedWebsite[]> {
    for await (const userIds of this.pagesOfUsers())
      for (let after = 0; ;) {
        const page = await this.readDueAfter(userIds, after, readBefore);
        if (page.length === 0) break;
        yield page;
        after = page.at(-1)!.id;
      }
  }

  /** Followed websites without a goal, or whose owner no longer wants to know. */
  async findUnwanted(): Promise<number[]> {
    const rows = await this.database.read((manager) =>
      manager.query<{ id: number | string }[]>(
        `SELECT followed.website_id AS id FROM followed_websites followed
        WHERE NOT EXISTS (SELECT 1 FROM goals WHERE goals.website_id = followed.website_id)
          OR NOT EXISTS (SELECT 1 FROM websites JOIN webhooks ON webhooks.user_id = websites.user_id
            WHERE websites.id = followed.website_id AND ${WANTED})
        ORDER BY followed.website_id LIMIT ${WEBSITES_AT_ONCE}`,
      ),
    );
    return rows.map(({ id }) => Number(id));
  }

  begin(lease: Lease, websiteId: number, at: { today: number; now: number }): Promise<void> {
    return lease.write((manager) => beginFollowing(manager, websiteId, at));
  }

  end(lease: Lease, websiteId: number): Promise<void> {
    return lease.write((manager) => endFollowing(manager, websiteId));
  }

  /** The goals of a website and the places up to which it was read, at one moment. */
  readGoals(websiteId: number): Promise<{ goals: Goal[]; places: Places }> {
    return this.database.read(async (manager) => ({
      goals: await manager.find(Goal, { where: { websiteId }, order: { id: 'ASC' } }),
      places: await readPlaces(manager, websiteId),
    }));
  }

  /** Adds deliveries and moves the places in one transaction, so that each conversion is in exactly one delivery. */
  async store(lease: Lease, website: WantedWebsite, reading: Reading): Promise<void> {
    const { id, userId, domain, followed } = website;
    const { content, readAt } = reading;
    await lease.write(async (manager) => {
      if (!(await storePlaces(manager, followed!, reading))) throw new ReadElsewhere();
      if (content)
        await this.deliveries.addFor(
          manager,
          userId,
          'goal.reached',
          `goals ${id} ${readAt}`,
          { id, domain },
          content,
          readAt,
        );
    });
  }

  private async *pagesOfUsers(): AsyncGenerator<number[]> {
    for (let after = 0; ;) {
      const rows = await this.database.read((manager) =>
        manager.query<{ user_id: number | string }[]>(
          `SELECT DISTINCT user_id FROM webhooks WHERE ${WANTED} AND user_id > ? ORDER BY user_id LIMIT ${USERS_AT_ONCE}`,
          [after],
        ),
      );
      if (rows.length === 0) return;
      const userIds = rows.map(({ user_id }) => Number(user_id));
      yield userIds;
      after = userIds.at(-1)!;
    }
  }

  private async readDueAfter(userIds: number[], after: number, readBefore: number): Promise<WantedWebsite[]> {
    const rows = await this.database.read((manager) =>
      manager.query<WantedRow[]>(
        `SELECT website.id AS id, website.user_id AS userId, website.domain AS domain, followed.folds AS folds,
          followed.read_at AS readAt
        FROM websites website LEFT JOIN counting ON counting.website_id = website.id
          LEFT JOIN followed_websites followed ON followed.website_id = website.id
        WHERE website.user_id IN ${placesFor(userIds)} AND website.id > ?
          AND EXISTS (SELECT 1 FROM goals WHERE goals.website_id = website.id)
          AND (followed.website_id IS NULL OR (followed.read_at <= ? AND followed.folds <> counting.folds))
        ORDER BY website.id LIMIT ${WEBSITES_AT_ONCE}`,
        [...userIds, after, readBefore],
      ),
    );
    return rows.map(wantedOf);
  }
}

function wantedOf({ id, userId, domain, folds, readAt }: WantedRow): WantedWebsite {
  const websiteId = Number(id);
  const followed = folds === null ? undefined : { websiteId, folds: Number(folds), readAt: Number(readAt) };
  return { id: websiteId, userId: Number(userId), domain, followed };
}

/** Whether the transaction failed only because another process did the work. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof ReadElsewhere || error instanceof LeaseLost;
}
