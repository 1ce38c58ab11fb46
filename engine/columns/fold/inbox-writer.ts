import { randomBytes, randomInt } from 'node:crypto';
import { Changed } from '../../ground/errors';
import { patience } from '../../ground/time/patience';
import type { Database } from '../../database/database';
import {
  changedBy,
  inChunks,
  inPieces,
  insertRows,
  MAX_STATEMENT_BYTES,
  nowOf,
  type SqlCondition,
  type Transaction,
} from '../../database/rows';
import { type DroppedOfWebsite, encodeDropped } from '../../hits/events/dropped-events';
import { EVENT_ID_COLUMNS, eventKey } from '../../hits/events/event-key';
import {
  bytesOf,
  type HitsOfWebsite,
  INBOX_COLUMNS,
  inboxRows,
  MAX_INBOX_ROW_BYTES,
} from '../../hits/events/inbox-rows';
import { encodeHits } from '../../hits/hit';
import type { AcceptedHit, AcceptedHits } from '../../port';

const NO_HITS = encodeHits([]);
/** SQLite joins 500 SELECTs at most. */
const MAX_ROWS = 500;
/** MariaDB silently truncates longer bytes in a UNION, so such a row has its own statement. */
const MAX_UNION_BYTES = 65_535;

/** Writes what intake hands over. */
export class InboxWriter {
  constructor(private readonly database: Database) {}

  /**
   * Appends hits in one transaction. A browser's id is claimed later, in the fold, so that its commit is one statement.
   * A commit without an acknowledgement is never sent again, because it may have been counted by then.
   */
  async accept(submissions: readonly AcceptedHits[], onlyIf: SqlCondition): Promise<boolean[][]> {
    const accepted = submissions.some(({ source }) => source === 'server')
      ? await this.database.writeForEvents((manager) => this.appendNew(manager, submissions, onlyIf))
      : await this.appendAll(submissions, onlyIf);
    if (!accepted.flat().includes(true)) await this.expectHolds(onlyIf);
    return accepted;
  }

  /** Appends one row per website. */
  async appendDropped(
    sums: readonly DroppedOfWebsite[],
    patienceMs: number,
    onWritten: (sums: DroppedOfWebsite[]) => void,
  ): Promise<void> {
    const byWebsite = new Map<number, DroppedOfWebsite[]>();
    for (const one of sums) byWebsite.set(one.websiteId, [...(byWebsite.get(one.websiteId) ?? []), one]);
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

  /**
   * Writes as much as the largest inbox row, because a small row may fit on a full disk. The random negative id matches
   * no website and no other process's probe, so nobody waits for these rows.
   */
  probe({ sql, parameters }: SqlCondition): Promise<boolean> {
    const { now } = this.database.dialect;
    const id = -randomInt(1, 2 ** 47);
    return this.database.writeForEvents(async (manager) => {
      const inserted = await changedBy(
        manager,
        `INSERT INTO inbox (${INBOX_COLUMNS}) SELECT ?, ${now}, 1, ?, ?, ? FROM ${sql}`,
        [id, MAX_INBOX_ROW_BYTES, Buffer.alloc(MAX_INBOX_ROW_BYTES), null, ...parameters],
      );
      if (inserted !== 1) return false;
      await insertRows(manager, 'event_ids', EVENT_ID_COLUMNS, [[id, Buffer.alloc(17), Buffer.alloc(16), 0]]);
      for (const table of ['inbox', 'event_ids'])
        await manager.query(`DELETE FROM ${table} WHERE website_id = ?`, [id]);
      return true;
    });
  }

  private async appendAll(submissions: readonly AcceptedHits[], onlyIf: SqlCondition): Promise<boolean[][]> {
    const accepted = submissions.map(({ hits }) => hits.map((entry) => entry !== undefined));
    const [first, ...more] = this.statements(submissions, accepted, onlyIf);
    if (more.length > 0) await this.database.writeForEvents((manager) => insert(manager, [first!, ...more]));
    else if (first)
      checkInserted(first, await this.database.execute(first.sql, first.parameters, patience.lookUpMs));
    return accepted;
  }

  private async appendNew(
    manager: Transaction,
    submissions: readonly AcceptedHits[],
    onlyIf: SqlCondition,
  ): Promise<boolean[][]> {
    const firsts = await this.claimIds(manager, submissions);
    const accepted = submissions.map(({ source, hits }) =>
      hits.map((entry) => entry !== undefined && (source === 'browser' || firsts.has(entry))),
    );
    await insert(manager, this.statements(submissions, accepted, onlyIf));
    return accepted;
  }

  private async expectHolds({ sql, parameters }: SqlCondition): Promise<void> {
    const rows = await this.database.readQuick((manager) =>
      manager.query<unknown[]>(`SELECT 1 FROM ${sql}`, parameters),
    );
    if (rows.length === 0) throw new Changed();
  }

  /** The first transaction to insert a unique key owns it; a second one waits for its commit. */
  private async claimIds(manager: Transaction, submissions: readonly AcceptedHits[]) {
    const claims = new Map<string, { websiteId: number; eventId: Buffer; entry: AcceptedHit }>();
    for (const { websiteId, hits } of submissions.filter(({ source }) => source === 'server'))
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

  /** Each INSERT checks the condition itself, so no change can slip in between check and insertion. */
  private statements(
    submissions: readonly AcceptedHits[],
    accepted: boolean[][],
    onlyIf: SqlCondition,
  ): Statement[] {
    const rows = [...acceptedByWebsite(submissions, accepted)].flatMap(([id, hits]) => inboxRows(id, hits));
    const select = `SELECT ?, ${this.database.dialect.now}, ?, ?, ?, ? FROM ${onlyIf.sql}`;
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
        ...onlyIf.parameters,
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
  if (inserted !== rows) throw new Changed();
}

function acceptedByWebsite(
  submissions: readonly AcceptedHits[],
  accepted: boolean[][],
): Map<number, HitsOfWebsite> {
  const byWebsite = new Map<number, HitsOfWebsite>();
  submissions.forEach(({ websiteId, source, hits }, submission) =>
    hits.forEach((entry, index) => {
      if (!entry || !accepted[submission]![index]) return;
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
