import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import type { Prepared } from '../storage/day-counts';
import { insertParts, removeSomeOf, unnamedChunks } from '../storage/hit-chunks';
import type { PartRow } from '../storage/part-rows';
import type { Between } from '../storage/merged-part';

/** The website's turn, under its unbroken lease; both say whether there still is one. */
export interface ColumnTurn {
  goOn: () => Promise<boolean>;
  write: (work: Prepared) => Promise<boolean>;
}

/**
 * Work that writes columns, mostly outside of the website's turn, which is taken to write, and to keep the lease alive.
 * Rows are written under the number of a chunk that no reader knows; the last transaction makes it known. Wherever the
 * work breaks off, all is as it was before, and the next one removes what nobody knows.
 */
export interface ColumnWork {
  /** Days whose hits it moves. */
  readonly days: readonly number[];
  run(turn: ColumnTurn): Promise<void>;
}

/** Lets others go on between two pieces of work, as long as there is a turn. */
export function between({ goOn }: ColumnTurn): Between {
  return async () => {
    await yieldIfNeeded();
    return goOn();
  };
}

/** What a transaction writes or removes, so that it is short. */
const BYTES_AT_ONCE = 2 * 1024 * 1024;

/** Writes the parts of a chunk in short transactions. */
export class ChunkWriter {
  private rows: PartRow[] = [];
  private lastDay = 0;

  constructor(
    private readonly turn: ColumnTurn,
    private readonly bytesAtOnce = BYTES_AT_ONCE,
  ) {}

  /** Rows of a part, of which this is the last day; false where there is no turn any more. */
  async add(rows: PartRow[], lastDay: number): Promise<boolean> {
    for (const row of rows) {
      const isFull = bytesOf(this.rows) + row.data.length > this.bytesAtOnce;
      if (this.rows.length > 0 && (isFull || lastDay !== this.lastDay) && !(await this.flush())) return false;
      this.rows.push(row);
      this.lastDay = lastDay;
    }
    return true;
  }

  /** Writes the last rows and does what makes them known. */
  finish(work: Prepared): Promise<boolean> {
    return this.turn.write(async (manager) => {
      await insertParts(manager, this.rows, this.lastDay);
      await work(manager);
    });
  }

  private async flush(): Promise<boolean> {
    const { rows, lastDay } = this;
    this.rows = [];
    // Transactions of SQLite follow one another without a turn of the event loop.
    await yieldIfNeeded();
    return this.turn.write((manager) => insertParts(manager, rows, lastDay));
  }
}

/** Removes the chunks that nobody knows; false where there is no turn any more. */
export async function removeUnknown(
  turn: ColumnTurn,
  database: Database,
  websiteId: number,
  bytesAtOnce = BYTES_AT_ONCE,
): Promise<boolean> {
  for (const chunk of await unnamedChunks(database, websiteId))
    for (let isDone = false; !isDone;) {
      const holdsTurn = await turn.write(async (manager) => {
        isDone = await removeSomeOf(manager, websiteId, chunk, bytesAtOnce);
      });
      if (!holdsTurn) return false;
      await yieldIfNeeded();
    }
  return true;
}

function bytesOf(rows: PartRow[]): number {
  return rows.reduce((sum, { data }) => sum + data.length, 0);
}
