import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import type { InboxPiece } from './batch-writer';
import type { ColumnTurn, ColumnWork } from './column-work';

/** So that a transaction is short. */
const KEYS_AT_ONCE = 5000;

/**
 * Removes the visitor from hits of days whose unique keys are deleted: the hits waited too long behind an error, and
 * whether their visitors were counted is unknown.
 */
export function withoutForgottenVisitors<P extends InboxPiece>(pieces: P[], seenFrom: number): P[] {
  return pieces.map((piece) => {
    if (piece.hits.every(({ day }) => day >= seenFrom)) return piece;
    const hits = piece.hits.map((hit) => (hit.day < seenFrom ? { ...hit, visitor: '' } : hit));
    return { ...piece, hits };
  });
}

/** Forgets who was seen on a day of which no hit comes any more, so that its hits can become columns. */
export class VisitorForgetting implements ColumnWork {
  readonly days: readonly number[];

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly day: number,
    private readonly keysAtOnce = KEYS_AT_ONCE,
  ) {
    this.days = [day];
  }

  async run(turn: ColumnTurn): Promise<void> {
    for (let last = await this.next(); last; last = await this.next()) {
      const until = last;
      const isDone = await turn.write(async (manager) => {
        await manager.query('DELETE FROM seen WHERE website_id = ? AND day = ? AND hash <= ?', [
          ...[this.websiteId, this.day],
          until,
        ]);
      });
      if (!isDone || !(await turn.goOn())) return;
      await yieldIfNeeded();
    }
  }

  /** The last of the next keys. */
  private async next(): Promise<Buffer | undefined> {
    const rows = await this.database.query<{ hash: Buffer }[]>(
      `SELECT hash FROM seen WHERE website_id = ? AND day = ? ORDER BY hash LIMIT ${this.keysAtOnce}`,
      [this.websiteId, this.day],
    );
    return rows.at(-1)?.hash;
  }
}
