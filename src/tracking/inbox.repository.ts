import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { encodeHits, type Hit } from '../counting/hit';
import { inChunks, insertRows } from '../counting/rows';
import { Database, LOOK_UP_PATIENCE_MS } from '../database/database';
import { websitesVersion } from '../websites/websites.repository';

/** The hits of one submission, in its order; undefined stands for an event that a rule dropped. */
export interface Append {
  websiteId: number;
  hits: ({ hit: Hit; eventId: string | null } | undefined)[];
}

export class WebsitesChanged extends Error {
  constructor(readonly version: number) {
    super();
  }
}

@Injectable()
export class InboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Appends hits in one transaction, each website's as one row, and tells which were accepted: one whose id is known
   * is not. A commit whose answer is lost is never sent again, since it may have been counted by then.
   */
  append(appends: Append[], version: number): Promise<boolean[][]> {
    const append = async (manager: EntityManager) => {
      const current = await websitesVersion(manager);
      if (current !== version) throw new WebsitesChanged(current);
      const isFirst = await this.claimIds(manager, appends);
      const accepted = appends.map(({ hits }) => hits.map((entry) => entry !== undefined && isFirst(entry)));
      await this.insert(manager, appends, accepted);
      return accepted;
    };
    const hasIds = appends.some(({ hits }) => hits.some((entry) => entry && entry.eventId !== null));
    return hasIds
      ? this.database.write(append, LOOK_UP_PATIENCE_MS)
      : this.database.writeOnce(append, LOOK_UP_PATIENCE_MS);
  }

  /** A row under a unique key belongs to who inserts it first; a second one waits until the first is committed. */
  private async claimIds(manager: EntityManager, appends: Append[]) {
    const claims = new Map<string, { websiteId: number; eventId: Buffer; entry: object }>();
    for (const { websiteId, hits } of appends)
      for (const entry of hits) {
        if (!entry?.eventId) continue;
        const eventId = Buffer.from(entry.eventId.replaceAll('-', ''), 'hex');
        const key = keyOf(websiteId, eventId);
        if (!claims.has(key)) claims.set(key, { websiteId, eventId, entry });
      }
    const owned = claims.size === 0 ? new Set<string>() : await this.insertIds(manager, [...claims.values()]);
    const firsts = new Set([...claims].filter(([key]) => owned.has(key)).map(([, { entry }]) => entry));
    return (entry: { eventId: string | null }) => entry.eventId === null || firsts.has(entry);
  }

  private async insertIds(manager: EntityManager, claims: { websiteId: number; eventId: Buffer }[]) {
    const batch = randomBytes(16);
    claims.sort(
      (one, other) => one.websiteId - other.websiteId || Buffer.compare(one.eventId, other.eventId),
    );
    await insertRows(
      manager,
      'event_ids',
      ['website_id', 'event_id', 'batch', 'accepted_at'],
      claims.map(({ websiteId, eventId }) => [websiteId, eventId, batch, Date.now()]),
      '',
      this.database.dialect.insertIfMissing,
    );
    const owned = new Set<string>();
    for (const websiteId of new Set(claims.map((claim) => claim.websiteId)))
      for (const chunk of inChunks(
        claims.filter((claim) => claim.websiteId === websiteId),
        500,
      )) {
        const rows = await manager.query<{ event_id: Buffer }[]>(
          `SELECT event_id FROM event_ids WHERE website_id = ? AND batch = ?
          AND event_id IN (${chunk.map(() => '?').join(', ')})`,
          [websiteId, batch, ...chunk.map(({ eventId }) => eventId)],
        );
        for (const { event_id } of rows) owned.add(keyOf(websiteId, event_id));
      }
    return owned;
  }

  private async insert(manager: EntityManager, appends: Append[], accepted: boolean[][]): Promise<void> {
    const byWebsite = new Map<number, Hit[]>();
    appends.forEach(({ websiteId, hits }, append) => {
      const kept = hits.filter((_, index) => accepted[append]![index]).map((entry) => entry!.hit);
      const together = byWebsite.get(websiteId);
      if (together) together.push(...kept);
      else if (kept.length > 0) byWebsite.set(websiteId, kept);
    });
    if (byWebsite.size === 0) return;
    const rows = [...byWebsite].map(([websiteId, hits]) => [websiteId, hits.length, encodeHits(hits)]);
    await manager.query(
      `INSERT INTO inbox (website_id, accepted_at, size, hits)
      VALUES ${rows.map(() => `(?, ${this.database.dialect.now}, ?, ?)`).join(', ')}`,
      rows.flat(),
    );
  }
}

function keyOf(websiteId: number, eventId: Buffer): string {
  return `${websiteId} ${eventId.toString('hex')}`;
}
