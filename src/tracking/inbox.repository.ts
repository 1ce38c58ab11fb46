import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { encodeHits, type Hit } from '../counting/hit';
import { changedBy, inChunks, insertRows } from '../database/rows';
import { Database, LOOK_UP_PATIENCE_MS } from '../database/database';
import { websitesVersion } from '../websites/websites.repository';

/** The hits of one submission, in its order; undefined stands for an event that a rule dropped. */
export interface Append {
  websiteId: number;
  hits: ({ hit: Hit; eventId: string | null } | undefined)[];
}

/** A website is not any more what its events were judged by. */
export class WebsitesChanged extends Error {}

type Change = (sql: string, parameters: unknown[]) => Promise<number>;

@Injectable()
export class InboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Appends hits, each website's as one row, if websites are still at this version, and tells which were accepted: one
   * whose id is known is not. A commit whose answer is lost is never sent again, since it may have been counted by then.
   */
  async append(appends: Append[], version: number): Promise<boolean[][]> {
    const hasIds = appends.some(({ hits }) => hits.some((entry) => entry && entry.eventId !== null));
    const accepted = hasIds
      ? await this.database.write((manager) => this.appendNew(manager, appends, version), LOOK_UP_PATIENCE_MS)
      : await this.appendAll(appends, version);
    if (!accepted.flat().includes(true)) await this.refuseChanges(version);
    return accepted;
  }

  private async appendAll(appends: Append[], version: number): Promise<boolean[][]> {
    const accepted = appends.map(({ hits }) => hits.map((entry) => entry !== undefined));
    await this.insert(appends, accepted, version, (sql, parameters) =>
      this.database.change(sql, parameters, LOOK_UP_PATIENCE_MS),
    );
    return accepted;
  }

  private async appendNew(manager: EntityManager, appends: Append[], version: number): Promise<boolean[][]> {
    const isFirst = await this.claimIds(manager, appends);
    const accepted = appends.map(({ hits }) => hits.map((entry) => entry !== undefined && isFirst(entry)));
    await this.insert(appends, accepted, version, (sql, parameters) => changedBy(manager, sql, parameters));
    return accepted;
  }

  private async refuseChanges(version: number): Promise<void> {
    const current = await this.database.look(websitesVersion);
    if (current !== version) throw new WebsitesChanged();
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

  /** The statement itself looks at the version, so that nothing can change between a look and the insertion. */
  private async insert(
    appends: Append[],
    accepted: boolean[][],
    version: number,
    change: Change,
  ): Promise<void> {
    const rows = [...keptByWebsite(appends, accepted)];
    if (rows.length === 0) return;
    const row = `SELECT ?, ${this.database.dialect.now}, ?, ? FROM website_changes WHERE id = 1 AND version = ?`;
    const inserted = await change(
      `INSERT INTO inbox (website_id, accepted_at, size, hits) ${rows.map(() => row).join(' UNION ALL ')}`,
      rows.flatMap(([websiteId, hits]) => [websiteId, hits.length, encodeHits(hits), version]),
    );
    if (inserted === 0) throw new WebsitesChanged();
  }
}

function keptByWebsite(appends: Append[], accepted: boolean[][]): Map<number, Hit[]> {
  const byWebsite = new Map<number, Hit[]>();
  appends.forEach(({ websiteId, hits }, append) => {
    const kept = hits.filter((_, index) => accepted[append]![index]).map((entry) => entry!.hit);
    const together = byWebsite.get(websiteId);
    if (together) together.push(...kept);
    else if (kept.length > 0) byWebsite.set(websiteId, kept);
  });
  return byWebsite;
}

function keyOf(websiteId: number, eventId: Buffer): string {
  return `${websiteId} ${eventId.toString('hex')}`;
}
