import type { HomeAddress } from '../database/hit-settings';
import type { Reading, Transaction } from '../database/rows';
import type { Check } from '../ground/deadline-check';
import { Problem } from '../ground/errors';
import { dayText } from '../ground/time/days';
import type { Span } from '../hits/calendar';
import type { ColumnName } from '../hits/hit-columns';
import type { DayKey } from '../port';
import type { StoredRow } from './block-of-rows';
import type { Cell } from './rows-of-block';

/** Consecutive rows of a day, and the rows of their properties. */
export interface WrittenRows {
  readonly hits: Cell[][];
  readonly properties: Cell[][];
}

/** Some rows of a day, in order. */
export interface RowPage {
  readonly key: DayKey;
  /** The columns of the block that they become. */
  readonly names: readonly ColumnName[];
  /** The last row before them. */
  readonly after: { readonly visitor: number; readonly place: number };
  readonly most: number;
}

/** The number of rows of a day, and the sum of their places. */
export interface RowSums {
  readonly hits: number;
  readonly places: number;
}

/** Tells whether a day has all of its hits, and each one once. */
export function areWhole({ hits, places }: RowSums, expected: number): boolean {
  return hits === expected && places === (expected * (expected - 1)) / 2;
}

/** A transaction in the service's own database. It throws once the work must end. */
export type Write = (work: (manager: Transaction) => Promise<void>) => Promise<void>;

/** Writes rows under versions that no day names, and compares what it wrote. */
export interface RowWriter {
  add(key: DayKey, rows: WrittenRows): Promise<void>;
  /** Call it once all are added. Returns the days whose rows differ from what was added: nothing may name them. */
  end(): Promise<DayKey[]>;
}

/** Where the rows of days are that have moved. */
export interface RowHome {
  /** `read` reads the service's own database, in the snapshot that names the day. `check` may end it. */
  readPage(read: Reading, page: RowPage, check?: Check): Promise<StoredRow[]>;
  readSums(read: Reading, key: DayKey): Promise<RowSums>;
  writer(write: Write): RowWriter;
}

/** A home outside of the service's own database. */
export interface RemoteHome extends RowHome {
  /** What it is, without a password. */
  readonly address: HomeAddress;
  /** Resolves once the rows are gone. */
  drop(keys: readonly DayKey[]): Promise<void>;
  /** Undefined without rows. */
  span(): Promise<Span | undefined>;
  /** The versions that have rows of some days, in order, after one of them. */
  listVersions(days: Span, most: number, after?: DayKey): Promise<DayKey[]>;
  /** Names what it cannot do. Throws `HomeAway` if it does not answer. */
  check(): Promise<string[]>;
  /** What `writeMark` wrote last. Empty for a new table. */
  readMark(): Promise<string>;
  writeMark(mark: string): Promise<void>;
  /** Ends what waits for an answer, for a process that ends. */
  stop(): void;
}

/** The home of some hits does not answer. Other questions are answered. */
export class HomeAway extends Problem {
  constructor(
    readonly home: string,
    cause: unknown,
  ) {
    super('warehouse_unavailable', 'The warehouse with the hits of old days does not answer.', {
      retryAfterSeconds: 10,
      cause,
    });
  }
}

/** The home refuses an answer of this size. Fewer rows fit. */
export class PageTooLarge extends HomeAway {}

/** The home has not all rows of a day, or some twice: for example a replica that lags. */
export class RowsMissing extends Problem {
  constructor(day: number) {
    super('warehouse_unavailable', `The warehouse does not have all hits of ${dayText(day)}.`, {
      retryAfterSeconds: 10,
    });
  }
}

/** The home does not have the rows as they were written. */
export class RowsDiffer extends Error {
  constructor(readonly key: DayKey) {
    super(
      `The rows of ${dayText(key.day)} (website ${key.websiteId}) differ from those that were written. The day stays where it is.`,
    );
  }
}

/** A named day must have the rows that were written. */
export function refuseDiffering([first]: readonly DayKey[]): void {
  if (first) throw new RowsDiffer(first);
}
