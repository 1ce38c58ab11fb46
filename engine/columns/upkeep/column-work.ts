import { Counter } from '../../ground/measures';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import { insertAll, type Insertion, type Transaction } from '../../database/rows';
import {
  findUnnamedSegments,
  partInsertion,
  readUnnamedVersions,
  removeSomeRows,
  removeSomeSegmentRows,
} from '../segments/hit-segments';
import { removeSomeReplacedBatches } from '../batches/batches';
import { removeSomeCheckpoints, readReplacedCheckpoints } from '../checkpoints/checkpoints';
import {
  removeSomeVisitors,
  findUnnamedSealings,
  visitorInsertion,
  type VisitorRow,
} from '../ordering/day-visitors';
import type { PartRow } from '../segments/part-rows';
import { removeSomeRollupRows, findUnnamedRollups } from '../rollups/rollup-rows';
import { removeSomeTexts, findUnnamedGenerations } from '../rollups/texts/value-texts';
import type { Between } from '../segments/merged-part';

/** The transaction that applies prepared work. */
export type Prepared = (manager: Transaction) => Promise<void>;

/** The website's turn, under an unbroken lease. Both functions return false once the lease is lost. */
export interface ColumnTurn {
  goOn: () => Promise<boolean>;
  write: (work: Prepared) => Promise<boolean>;
}

/**
 * Work that writes columns, mostly outside of the website's turn. Writing and renewing the lease take the turn. Rows
 * get the number of a segment that no reader knows; the last transaction makes it current. If the work breaks off,
 * nothing has changed, and the leftover rows are removed later.
 */
export interface ColumnWork {
  /** The days whose hits it moves. */
  readonly days: readonly number[];
  /** Tells whether it waits for a remote home, which may be slow. */
  readonly isRemote?: boolean;
  run(turn: ColumnTurn): Promise<void>;
}

/** `sealed` or `moved`. */
export const DAYS = new Counter(
  'day_work_total',
  'Days whose hits became columns, or moved from columns to rows.',
  ['work'],
);

/** Another process holds the website's lease. */
export class TurnEnded extends Error {}

/** Lets other work run between two pieces of work. Returns false once the lease is lost. */
export function goOnAfterYield({ goOn }: ColumnTurn): Between {
  return async () => {
    await yieldIfNeeded();
    return goOn();
  };
}

/** Lets other work run between two pieces of work. Throws `TurnEnded` once the lease is lost. */
export function pauseIn(turn: ColumnTurn): () => Promise<void> {
  const goesOn = goOnAfterYield(turn);
  return async () => {
    if (!(await goesOn())) throw new TurnEnded();
  };
}

export async function writeIn(turn: ColumnTurn, work: Prepared): Promise<void> {
  if (!(await turn.write(work))) throw new TurnEnded();
}

/** The limit of a transaction, which keeps it short. */
export const BYTES_AT_ONCE = 2 * 1024 * 1024;

/** Writes the parts of a segment in short transactions. */
export class SegmentWriter {
  private rows: PartRow[] = [];
  private visitors: VisitorRow[] = [];
  private lastDay = 0;
  /** Tells whether a transaction was started. */
  hasWritten = false;

  constructor(
    private readonly turn: ColumnTurn,
    private readonly bytesAtOnce = BYTES_AT_ONCE,
  ) {}

  /** Adds rows of a part that ends with this day. Returns false once the lease is lost. */
  async add(rows: PartRow[], lastDay: number): Promise<boolean> {
    for (const row of rows) {
      const isOther = this.rows.length > 0 && lastDay !== this.lastDay;
      if ((isOther || this.isFullWith(row)) && !(await this.flush())) return false;
      this.rows.push(row);
      this.lastDay = lastDay;
    }
    return true;
  }

  async addVisitors(rows: VisitorRow[]): Promise<boolean> {
    for (const row of rows) {
      if (this.isFullWith(row) && !(await this.flush())) return false;
      this.visitors.push(row);
    }
    return true;
  }

  /** Writes the last rows, and makes the segment current in the same transaction. */
  finish(work: Prepared): Promise<boolean> {
    return this.turn.write(async (manager) => {
      await insertAll(manager, this.insertions());
      await work(manager);
    });
  }

  private isFullWith({ data }: { data: Buffer }): boolean {
    return this.bytes > 0 && this.bytes + data.length > this.bytesAtOnce;
  }

  /** The bytes that wait to be written. */
  get bytes(): number {
    return bytesOf([...this.rows, ...this.visitors]);
  }

  /** Writes the waiting rows. Returns false once the lease is lost. */
  async flush(): Promise<boolean> {
    if (this.rows.length + this.visitors.length === 0) return true;
    const insertions = this.insertions();
    [this.rows, this.visitors] = [[], []];
    this.hasWritten = true;
    // SQLite runs consecutive transactions without a turn of the event loop.
    await yieldIfNeeded();
    return this.turn.write((manager) => insertAll(manager, insertions));
  }

  private insertions(): Insertion[] {
    return [partInsertion(this.rows, this.lastDay), visitorInsertion(this.visitors)];
  }
}

/** The time for which replaced batches stay, so that an export that reads them can finish. */
export const REPLACED_STAYS_MS = 10 * 60_000;

/** Removes leftover rows, checkpoints of sealed days, and batches that were replaced a while ago. */
export class LeftoverRemoval implements ColumnWork {
  readonly days = [];

  private constructor(
    private readonly removals: ((manager: Transaction, bytes: number) => Promise<boolean>)[],
    private readonly bytesAtOnce: number,
  ) {}

  /** `replaced` are the days with replaced batches. Undefined if nothing is left over. */
  static async find(
    database: Database,
    websiteId: number,
    replaced: readonly number[],
    bytesAtOnce = BYTES_AT_ONCE,
  ): Promise<LeftoverRemoval | undefined> {
    const segments = await findUnnamedSegments(database, websiteId);
    const sealings = await findUnnamedSealings(database, websiteId);
    const rollups = await findUnnamedRollups(database, websiteId);
    const generations = await findUnnamedGenerations(database, websiteId);
    const versions = await readUnnamedVersions(database, websiteId);
    const checkpointed = await readReplacedCheckpoints(database, websiteId);
    const removals = [
      ...segments.map(
        (segment) => (manager: Transaction, bytes: number) =>
          removeSomeSegmentRows(manager, websiteId, segment, bytes),
      ),
      ...sealings.map(
        (sealed) => (manager: Transaction, bytes: number) => removeSomeVisitors(manager, sealed, bytes),
      ),
      ...rollups.map(
        (number) => (manager: Transaction, bytes: number) =>
          removeSomeRollupRows(manager, websiteId, number, bytes),
      ),
      ...generations.map(
        (generation) => (manager: Transaction, bytes: number) =>
          removeSomeTexts(manager, websiteId, generation, bytes),
      ),
      ...versions.map(
        (version) => (manager: Transaction) => removeSomeRows(manager, database.dialect, version),
      ),
      ...checkpointed.map(
        (day) => (manager: Transaction, bytes: number) =>
          removeSomeCheckpoints(manager, { websiteId, day }, 0, bytes),
      ),
      ...replaced.map(
        (day) => (manager: Transaction, bytes: number) =>
          removeSomeReplacedBatches(manager, websiteId, day, bytes),
      ),
    ];
    return removals.length === 0 ? undefined : new LeftoverRemoval(removals, bytesAtOnce);
  }

  async run(turn: ColumnTurn): Promise<void> {
    for (const removal of this.removals)
      for (let isDone = false; !isDone;) {
        const holdsTurn = await turn.write(async (manager) => {
          isDone = await removal(manager, this.bytesAtOnce);
        });
        if (!holdsTurn) return;
        await yieldIfNeeded();
      }
  }
}

function bytesOf(rows: { data: Buffer }[]): number {
  return rows.reduce((sum, { data }) => sum + data.length, 0);
}
