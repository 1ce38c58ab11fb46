import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { patience } from '../../../engine/ground/time/patience';
import { Database } from '../../../engine/database/database';
import { type DroppedOfWebsite, encodeDropped } from '../../../engine/hits/events/dropped-events';
import {
  changedBy,
  inChunks,
  inPieces,
  insertRows,
  MAX_STATEMENT_BYTES,
  nowOf,
  type Transaction,
} from '../../../engine/database/rows';
import { EVENT_ID_COLUMNS, eventKey, type IdSource } from '../../../engine/hits/events/event-key';
import { encodeHits, type Hit } from '../../../engine/hits/hit';
import { readWebsitesVersion } from '../../websites/website-changes';
import { type AcceptedHits, bytesOf, INBOX_COLUMNS, inboxRows } from './inbox-rows';

interface Entry {
  hit: Hit;
  eventId: string | null;
}

/** The hits of one submission, in order; undefined for an event that a rule dropped. */
export interface Append {
  websiteId: number;
  source: IdSource;
  hits: (Entry | undefined)[];
}

/** A website has changed since its events were processed. */
export class WebsitesChanged extends Error {}

const NO_HITS = encodeHits([]);
/** SQLite joins 500 SELECTs at most. */
const MAX_ROWS = 500;
/** MariaDB silently truncates longer bytes in a UNION, so such a row has its own statement. */
const MAX_UNION_BYTES = 65_535;

@Injectable()
export class InboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Appends hits in one transaction if the websites still have this version, and returns which were accepted: a
   * server's hit is rejected if its id is known. A browser's id is claimed later, in the fold, so that its commit is
   * one statement. A commit without an acknowledgement is never sent again, because it may have been counted by then.
   */
  async append(appends: Append[], version: number): Promise<boolean[][]> {
    const accepted = appends.some(({ source }) => source === 'server')
      ? await this.database.writeForEvents((manager) => this.appendNew(manager, appends, version))
      : await this.appendAll(appends, version);
    if (!accepted.flat().includes(true)) await this.refuseChanges(version);
    return accepted;
  }

  /**
   * Appends sums of dropped events, one row per website, except for deleted websites. Reports which are written, because
   * a later statement may fail.
   */
  async appendDropped(
    counts: readonly DroppedOfWebsite[],
    patienceMs: number,
    onWritten: (counts: DroppedOfWebsite[]) => void,
  ): Promise<void> {
    const byWebsite = new Map<number, DroppedOfWebsite[]>();
    for (const one of counts) byWebsite.set(one.websiteId, [...(byWebsite.get(one.websiteId) ?? []), one]);
    for (const some of inChunks([...byWebsite], MAX_ROWS)) {
      const select = `SELECT id, ${this.database.dialect.now}, 1, ?, ?, ? FROM websites WHERE id = ?`;
      await this.database.execute(
        `INSERT INTO inbox (website_id, accepted_at, size, bytes, hits, dropped) ${some.map(() => select).join(' UNION ALL ')}`,
        some.flatMap(([websiteId, ofWebsite]) => {
          const dropped = encodeDropped(ofWebsite);
          return [dropped.length, NO_HITS, dropped, websiteId];
        }),
        patienceMs,
      );
      onWritten(some.flatMap(([, ofWebsite]) => ofWebsite));
    }
  }

  /** Whether the database is down, rather than the error caused by the events of one commit. */
  isOutage(error: unknown): Promise<boolean> {
    return this.database.isOutage(error);
  }

  private async appendAll(appends: Append[], version: number): Promise<boolean[][]> {
    const accepted = appends.map(({ hits }) => hits.map((entry) => entry !== undefined));
    const [first, ...more] = this.statements(appends, accepted, version);
    if (more.length > 0) await this.database.writeForEvents((manager) => insert(manager, [first!, ...more]));
    else if (first)
      checkInserted(first, await this.database.execute(first.sql, first.parameters, patience.lookUpMs));
    return accepted;
  }

  private async appendNew(manager: Transaction, appends: Append[], version: number): Promise<boolean[][]> {
    const firsts = await this.claimIds(manager, appends);
    const accepted = appends.map(({ source, hits }) =>
      hits.map((entry) => entry !== undefined && (source === 'browser' || firsts.has(entry))),
    );
    await insert(manager, this.statements(appends, accepted, version));
    return accepted;
  }

  private async refuseChanges(version: number): Promise<void> {
    const current = await this.database.readQuick(readWebsitesVersion);
    if (current !== version) throw new WebsitesChanged();
  }

  /** The first transaction to insert a unique key owns it; a second one waits for its commit. */
  private async claimIds(manager: Transaction, appends: Append[]) {
    const claims = new Map<string, { websiteId: number; eventId: Buffer; entry: Entry }>();
    for (const { websiteId, hits } of appends.filter(({ source }) => source === 'server'))
      for (const entry of hits) {
        if (!entry?.eventId) continue;
        const eventId = eventKey('server', entry.eventId);
        const key = keyOf(websiteId, eventId);
        if (!claims.has(key)) claims.set(key, { websiteId, eventId, entry });
      }
    const owned = claims.size === 0 ? new Set<string>() : await this.insertIds(manager, [...claims.values()]);
    return new Set([...claims].filter(([key]) => owned.has(key)).map(([, { entry }]) => entry));
  }

  private async insertIds(manager: Transaction, claims: { websiteId: number; eventId: Buffer }[]) {
    const batch = randomBytes(16);
    // Ids expire by this clock.
    const acceptedAt = await nowOf(manager, this.database.dialect);
    claims.sort(
      (one, other) => one.websiteId - other.websiteId || Buffer.compare(one.eventId, other.eventId),
    );
    await insertRows(
      manager,
      'event_ids',
      EVENT_ID_COLUMNS,
      claims.map(({ websiteId, eventId }) => [websiteId, eventId, batch, acceptedAt]),
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

  /** Each INSERT checks the version itself, so no change can slip in between check and insertion. */
  private statements(appends: Append[], accepted: boolean[][], version: number): Statement[] {
    const rows = [...acceptedByWebsite(appends, accepted)].flatMap(([id, hits]) => inboxRows(id, hits));
    const select = `SELECT ?, ${this.database.dialect.now}, ?, ?, ?, ? FROM website_changes WHERE id = 1 AND version = ?`;
    const pieces = inPieces(rows, MAX_ROWS, MAX_STATEMENT_BYTES, (row) =>
      row.hits.length > MAX_UNION_BYTES ? MAX_STATEMENT_BYTES : 2 * bytesOf(row) + select.length,
    );
    return Array.from(pieces, (piece) => ({
      rows: piece.length,
      sql: `INSERT INTO inbox (${INBOX_COLUMNS}) ${piece.map(() => select).join(' UNION ALL ')}`,
      parameters: piece.flatMap((row) => [
        row.websiteId,
        row.size,
        bytesOf(row),
        row.hits,
        row.eventKeys,
        version,
      ]),
    }));
  }
}

interface Statement {
  rows: number;
  sql: string;
  parameters: unknown[];
}

async function insert(manager: Transaction, statements: Statement[]): Promise<void> {
  for (const statement of statements)
    checkInserted(statement, await changedBy(manager, statement.sql, statement.parameters));
}

function checkInserted({ rows }: Statement, inserted: number): void {
  if (inserted !== rows) throw new WebsitesChanged();
}

function acceptedByWebsite(appends: Append[], accepted: boolean[][]): Map<number, AcceptedHits> {
  const byWebsite = new Map<number, AcceptedHits>();
  appends.forEach(({ websiteId, source, hits }, append) =>
    hits.forEach((entry, index) => {
      if (!entry || !accepted[append]![index]) return;
      let ofWebsite = byWebsite.get(websiteId);
      if (!ofWebsite) byWebsite.set(websiteId, (ofWebsite = { hits: [], browserIds: [] }));
      ofWebsite.hits.push(entry.hit);
      ofWebsite.browserIds.push(source === 'browser' ? entry.eventId : null);
    }),
  );
  return byWebsite;
}

function keyOf(websiteId: number, eventId: Buffer): string {
  return `${websiteId} ${eventId.toString('hex')}`;
}
