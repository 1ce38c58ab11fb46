import { Injectable } from '@nestjs/common';
import { Goal } from '../../goals/goals/goal.entity';
import { WANTS_CONVERSIONS } from '../../goals/wanted-websites';
import { EntityDatabase } from '../../database/entity-database';
import { type Lease, LeaseLost } from '../../../engine/database/lease';
import { CLOCKS_DIFFER_MS } from '../../../engine/ground/time/clock-from';
import { Rests } from '../../../engine/database/due-jobs';
import type { Cursor } from '../../../engine/questions/conversions-request';
import { WebhookDeliveries } from '../deliveries/new-deliveries';
import { type Followed, HitStore } from '../../../engine/port';

const WEBSITES_AT_ONCE = 200;

/** The least time between two deliveries about a website. */
export const BETWEEN_READINGS_MS = 60_000;
/** Less than the hour for which a day is held. */
export const MAX_PAUSE_MS = 45 * 60_000;
export const RESTS = new Rests('conversions', MAX_PAUSE_MS);

/** A website whose owner wants to know of conversions. */
export interface WantedWebsite {
  id: number;
  ownerId: number;
  domain: string;
  /** Failed readings in a row. Null if it did not rest. */
  tries: number | null;
}

/** What came of a reading. */
interface Outcome {
  before: Cursor;
  after: Cursor;
  readAt: number;
  /** Undefined without conversions. */
  content: object | undefined;
}

/** Tells whether a row `website` is of a website with a goal whose owner wants to know of conversions. */
const IS_WANTED = `website.user_id IN (SELECT user_id FROM webhooks WHERE ${WANTS_CONVERSIONS})
  AND EXISTS (SELECT 1 FROM goals WHERE goals.website_id = website.id)`;

/** Another process read the website, it is not followed any more, or it is wanted again. */
class ChangedMeanwhile extends Error {}

/** The websites of all users that are followed for conversions. */
@Injectable()
export class FollowedRepository {
  constructor(
    private readonly database: EntityDatabase,
    private readonly deliveries: WebhookDeliveries,
    private readonly hits: HitStore,
  ) {}

  /** Tells whether there is anything to follow, or that was followed. */
  async hasWork(): Promise<boolean> {
    const rows = await this.database.read((manager) =>
      manager.query<object[]>(
        `SELECT 1 FROM users WHERE EXISTS (SELECT 1 FROM webhooks WHERE ${WANTS_CONVERSIONS})
          OR EXISTS (${this.hits.terms.followed}) LIMIT 1`,
      ),
    );
    return rows.length > 0;
  }

  /** Some due websites. Owners take turns, and of an owner the website comes first whose reading is longest ago. */
  async findDue(now: number): Promise<WantedWebsite[]> {
    const rows = await this.database.read((manager) =>
      manager.query<Record<keyof WantedWebsite, number | string | null>[]>(
        `SELECT * FROM (
          SELECT due.*, ROW_NUMBER() OVER (PARTITION BY ownerId ORDER BY readAt, id) AS turn FROM (${this.due(now)}) due
        ) turns ORDER BY turn, readAt, id LIMIT ${WEBSITES_AT_ONCE}`,
      ),
    );
    return rows.map(({ id, ownerId, domain, tries }) => ({
      id: Number(id),
      ownerId: Number(ownerId),
      domain: String(domain),
      tries: tries === null ? null : Number(tries),
    }));
  }

  waiting(now: number): string {
    return `SELECT id AS website_id, COALESCE(readAt + ${BETWEEN_READINGS_MS}, 0) AS due_at, COALESCE(tries, 0) AS tries, reason
      FROM (${this.due(now)}) due UNION ALL ${RESTS.waiting(now)}`;
  }

  /**
   * Websites with goals that are not followed yet, or have new hits and were not read lately, without those that rest. A
   * later reading dates from a clock that was ahead.
   */
  private due(now: number): string {
    const { terms } = this.hits;
    return `SELECT * FROM (
        SELECT website.id AS id, website.user_id AS ownerId, website.domain AS domain, rest.tries AS tries,
          rest.reason AS reason, ${terms.readAt('website.id')} AS readAt
        FROM websites website ${RESTS.join('website.id')}
        WHERE ${IS_WANTED} AND ${RESTS.areOver(now)}
      ) wanted
      WHERE readAt IS NULL OR (readAt NOT BETWEEN ${now - BETWEEN_READINGS_MS} AND ${now + CLOCKS_DIFFER_MS}
        AND ${terms.hasNewHits('wanted.id')})`;
  }

  /** Some followed websites without a goal, or whose owner no longer wants to know. */
  async findUnwanted(): Promise<number[]> {
    const rows = await this.database.read((manager) =>
      manager.query<{ id: number | string }[]>(
        `SELECT followed.website_id AS id FROM (${this.hits.terms.followed}) followed
        WHERE NOT EXISTS (SELECT 1 FROM websites website WHERE website.id = followed.website_id AND ${IS_WANTED})
        ORDER BY followed.website_id LIMIT ${WEBSITES_AT_ONCE}`,
      ),
    );
    return rows.map(({ id }) => Number(id));
  }

  begin(lease: Lease, websiteId: number, now: number): Promise<void> {
    return lease.write((manager) => this.hits.follow(manager, websiteId, now));
  }

  /** Looks again afterwards, because its owner may want to know again meanwhile. */
  end(lease: Lease, websiteId: number): Promise<void> {
    return lease.write(async (manager) => {
      await this.hits.unfollow(manager, websiteId);
      const wanted = await manager.query<object[]>(
        `SELECT 1 FROM websites website WHERE website.id = ? AND ${IS_WANTED}`,
        [websiteId],
      );
      if (wanted.length > 0) throw new ChangedMeanwhile();
    });
  }

  /** The goals of a website, and how far it was read, at one moment. */
  readGoals(websiteId: number): Promise<{ goals: Goal[]; followed: Followed | undefined }> {
    return this.database.read(async (manager) => ({
      goals: await manager.find(Goal, { where: { websiteId }, order: { id: 'ASC' } }),
      followed: await this.hits.followed(manager, websiteId),
    }));
  }

  /** Adds deliveries and moves the cursor in one transaction, so that each conversion is in exactly one delivery. */
  async store(lease: Lease, website: WantedWebsite, outcome: Outcome): Promise<void> {
    const { id, ownerId, domain } = website;
    const { before, after, content, readAt } = outcome;
    await lease.write(async (manager) => {
      if (!(await this.hits.moveCursor(manager, id, before, after))) throw new ChangedMeanwhile();
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

/** Does work that another process may have done, or that is no longer wanted. */
export async function unlessElsewhere(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile || error instanceof LeaseLost)) throw error;
  }
}
