import { Injectable } from '@nestjs/common';
import { Goal } from '../../goals/goals/goal.entity';
import { WANTS_CONVERSIONS } from '../../goals/wanted-websites';
import { EntityDatabase } from '../../database/entity-database';
import { type Lease, LeaseLost } from '../../database/lease';
import { placesFor, type Transaction } from '../../database/rows';
import {
  beginFollowing,
  endFollowing,
  type FollowedWebsite,
  lockFollowing,
  type Places,
  readPlaces,
  type StoredReading,
  storePlaces,
} from '../../storage/followed-websites';
import { WebhookDeliveries } from '../deliveries/new-deliveries';

const WEBSITES_AT_ONCE = 200;

/** A website whose owner wants to know of conversions. */
export interface WantedWebsite {
  id: number;
  ownerId: number;
  domain: string;
  /** Undefined if it is not followed yet. */
  followed: FollowedWebsite | undefined;
}

/** What came of a reading. */
export interface Reading extends StoredReading {
  /** Undefined without conversions. */
  content: object | undefined;
}

interface WantedRow {
  id: number | string;
  ownerId: number | string;
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
    private readonly database: EntityDatabase,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  /** Whether there is anything to follow, or that was followed. */
  async hasWork(): Promise<boolean> {
    const rows = await this.database.read((manager) =>
      manager.query<object[]>(
        `SELECT 1 FROM users WHERE EXISTS (SELECT 1 FROM webhooks WHERE ${WANTS_CONVERSIONS})
          OR EXISTS (SELECT 1 FROM followed_websites) LIMIT 1`,
      ),
    );
    return rows.length > 0;
  }

  /**
   * Some websites with goals that are not followed yet, or have new hits and were not read between two moments, without
   * those that rest. Owners take turns, and of an owner the website comes first whose reading is longest ago.
   */
  async findDue(notRead: { from: number; to: number }, resting: readonly number[]): Promise<WantedWebsite[]> {
    const rows = await this.database.read((manager) =>
      manager.query<WantedRow[]>(
        `SELECT * FROM (
          SELECT website.id AS id, website.user_id AS ownerId, website.domain AS domain, followed.folds AS folds,
            followed.read_at AS readAt,
            ROW_NUMBER() OVER (PARTITION BY website.user_id ORDER BY followed.read_at, website.id) AS turn
          FROM websites website LEFT JOIN counting ON counting.website_id = website.id
            LEFT JOIN followed_websites followed ON followed.website_id = website.id
          WHERE website.user_id IN (SELECT user_id FROM webhooks WHERE ${WANTS_CONVERSIONS})
            AND EXISTS (SELECT 1 FROM goals WHERE goals.website_id = website.id)
            AND (followed.website_id IS NULL OR (followed.read_at NOT BETWEEN ? AND ? AND followed.folds <> counting.folds))
            AND website.id NOT IN ${placesFor([0, ...resting])}
        ) due ORDER BY turn, readAt, id LIMIT ${WEBSITES_AT_ONCE}`,
        [notRead.from, notRead.to, 0, ...resting],
      ),
    );
    return rows.map(wantedOf);
  }

  findUnwanted(): Promise<number[]> {
    return this.database.read((manager) => unwantedIn(manager));
  }

  begin(lease: Lease, websiteId: number, now: number): Promise<void> {
    return lease.write((manager) => beginFollowing(manager, this.database.dialect, websiteId, now));
  }

  /** Looks again behind the lock, because its owner may want to know again meanwhile. */
  end(lease: Lease, websiteId: number): Promise<void> {
    return lease.write(async (manager) => {
      await lockFollowing(manager, websiteId);
      if ((await unwantedIn(manager, websiteId)).length > 0) await endFollowing(manager, websiteId);
    });
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
    const { id, ownerId, domain, followed } = website;
    const { content, readAt } = reading;
    await lease.write(async (manager) => {
      if (!(await storePlaces(manager, followed!, reading))) throw new ReadElsewhere();
      if (content)
        await this.deliveries.addFor(
          manager,
          ownerId,
          'goal.reached',
          `goals ${id} ${readAt}`,
          { id, domain },
          content,
          readAt,
        );
    });
  }
}

/** Followed websites, or a single one, without a goal or whose owner no longer wants to know. */
async function unwantedIn(manager: Transaction, websiteId?: number): Promise<number[]> {
  const rows = await manager.query<{ id: number | string }[]>(
    `SELECT followed.website_id AS id FROM followed_websites followed
    WHERE ${websiteId === undefined ? '' : 'followed.website_id = ? AND '}(
      NOT EXISTS (SELECT 1 FROM goals WHERE goals.website_id = followed.website_id)
      OR NOT EXISTS (SELECT 1 FROM websites JOIN webhooks ON webhooks.user_id = websites.user_id
        WHERE websites.id = followed.website_id AND ${WANTS_CONVERSIONS}))
    ORDER BY followed.website_id LIMIT ${WEBSITES_AT_ONCE}`,
    websiteId === undefined ? [] : [websiteId],
  );
  return rows.map(({ id }) => Number(id));
}

function wantedOf({ id, ownerId, domain, folds, readAt }: WantedRow): WantedWebsite {
  const websiteId = Number(id);
  const followed = folds === null ? undefined : { websiteId, folds: Number(folds), readAt: Number(readAt) };
  return { id: websiteId, ownerId: Number(ownerId), domain, followed };
}

/** Whether the transaction failed only because another process did the work. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof ReadElsewhere || error instanceof LeaseLost;
}
