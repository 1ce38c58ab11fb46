import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TooManyRequests } from '../../common/problem';
import { sharedFor } from '../../common/time/shared-for';
import { Database } from '../../database/database';
import type { CountingWarning } from '../websites/website-failures';
import { INBOX_INDEX } from './inbox-reader';

const LATE_AFTER_MS = 10_000;
const SHARED_MS = 1000;
const MAX_LATE = 1000;
const MAX_WARNINGS = 20;
/** Another limit, because a row with one small event has less than 200 bytes. */
const MAX_ROWS = 30_000;
const RETRY_AFTER_SECONDS = 10;

/**
 * Refuses a website's events if they have waited for long, many wait, and within a window many arrived while counting
 * went on and fell behind. If counting makes no progress, the cause is a failure and not the load. If few arrived, the
 * backlog is old or other websites cause the load. In these cases the inbox keeps accepting events.
 */
export const BACKLOG = { waitedMs: 30_000, bytes: 8 * 1024 * 1024, windowMs: 10_000, newBytes: 1024 * 1024 };

interface Oldest {
  website_id: number | string;
  id: number | string;
  newest: number | string;
  accepted_at: number | string;
  now: number | string;
}

/** A website with late events, with its state at the begin of a window. */
interface Late {
  oldest: number;
  newest: number;
  acceptedAt: number;
  since: number;
  isRefused: boolean;
}

/** The events that wait for counting, in any process. */
@Injectable()
export class WaitingEvents {
  /** The longest wait comes first. */
  private late = new Map<number, Late>();
  private readonly looked = sharedFor(SHARED_MS, () => this.look());

  constructor(private readonly database: Database) {}

  /** Anybody may call it as often as they like. */
  async warnings(): Promise<CountingWarning[]> {
    const longest = await this.looked();
    const refused = [...this.late].filter(([, { isRefused }]) => isRefused).slice(0, MAX_WARNINGS);
    return [
      ...(longest ? [warningOf(longest)] : []),
      ...refused.map(([website_id]) => ({
        code: 'events_refused',
        website_id,
        detail: 'Events are refused because they arrive faster than they can be counted.',
      })),
    ];
  }

  /** Throws if events of a website are refused. It does not wait: the result of a look applies to the next call. */
  check(websiteId: number): void {
    this.looked().catch(() => this.late.clear());
    if (this.late.get(websiteId)?.isRefused)
      throw new TooManyRequests(
        'Too many events of this website are waiting to be counted.',
        RETRY_AFTER_SECONDS,
      );
  }

  /** Returns the website with the longest wait, if it is late. */
  private look(): Promise<Oldest | undefined> {
    const { distinct, now } = this.database.dialect;
    return this.database.readQuick(async (manager) => {
      const all = await manager.query<Oldest[]>(
        `SELECT website_id, id, newest, accepted_at, now FROM (
          SELECT website_id, id, newest, ${now} AS now,
            (SELECT accepted_at FROM inbox WHERE inbox.id = websites.id) AS accepted_at
          FROM (
            SELECT website_id, (SELECT MIN(id) FROM inbox WHERE inbox.website_id = waiting.website_id) AS id,
              (SELECT MAX(id) FROM inbox WHERE inbox.website_id = waiting.website_id) AS newest
            FROM (${distinct('inbox', 'website_id')}) waiting
            WHERE website_id NOT IN (SELECT website_id FROM deleted_websites)
          ) websites
        ) oldest WHERE accepted_at < now - ${LATE_AFTER_MS} ORDER BY accepted_at LIMIT ${MAX_LATE}`,
      );
      const late = new Map<number, Late>();
      for (const one of all) late.set(Number(one.website_id), await this.judged(manager, one));
      this.late = late;
      return all[0];
    });
  }

  private async judged(manager: EntityManager, row: Oldest): Promise<Late> {
    const [websiteId, oldest, newest] = [Number(row.website_id), Number(row.id), Number(row.newest)];
    const [acceptedAt, now] = [Number(row.accepted_at), Number(row.now)];
    const before = this.late.get(websiteId);
    const own = { oldest, newest, acceptedAt, since: now, isRefused: false };
    if (!before) return own;
    const isLarge = () => this.areMany(manager, websiteId, 0, BACKLOG.bytes);
    const windowMs = now - before.since;
    if (windowMs < BACKLOG.windowMs) return { ...before, isRefused: before.isRefused && (await isLarge()) };
    if (oldest === before.oldest) return own;
    const fallsBehind = now - acceptedAt > BACKLOG.waitedMs && acceptedAt - before.acceptedAt <= windowMs;
    const isCause =
      before.isRefused ||
      (fallsBehind && (await this.areMany(manager, websiteId, before.newest, BACKLOG.newBytes)));
    return { ...own, isRefused: isCause && (await isLarge()) };
  }

  /** Whether the rows after an id have more than a number of bytes. */
  private async areMany(
    manager: EntityManager,
    websiteId: number,
    after: number,
    bytes: number,
  ): Promise<boolean> {
    const [waiting] = await manager.query<Record<'number' | 'bytes', number | string | null>[]>(
      `SELECT COUNT(*) AS number, SUM(bytes) AS bytes FROM (
        SELECT bytes FROM inbox ${this.database.dialect.useIndex(INBOX_INDEX)}
        WHERE website_id = ? AND id > ? ORDER BY id LIMIT ${MAX_ROWS}
      ) waiting`,
      [websiteId, after],
    );
    return Number(waiting!.number) === MAX_ROWS || Number(waiting!.bytes) > bytes;
  }
}

function warningOf({ website_id, accepted_at, now }: Oldest): CountingWarning {
  const since = new Date(Number(accepted_at)).toISOString();
  const seconds = Math.floor((Number(now) - Number(accepted_at)) / 1000).toLocaleString('en');
  return {
    code: 'counting_waits',
    website_id: Number(website_id),
    detail: `Events have been waiting to be counted since ${since}, for ${seconds} seconds.`,
  };
}
