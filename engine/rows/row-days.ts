import { WebsiteValues } from '../asking/select/website-values';
import type { Database } from '../database/database';
import { insertAll, type Insertion, type Queryable, type Reading } from '../database/rows';
import type { Check } from '../ground/deadline-check';
import { yieldIfNeeded } from '../ground/time/yield-if-needed';
import { WebsiteTexts } from '../hits/codes/text-codes';
import type { DayOfHits, HitBlock, HitBlocks } from '../hits/hit-block';
import { type ColumnName, COLUMN_NAMES } from '../hits/hit-columns';
import type { DayKey, DayStore } from '../port';
import { BlockOfRows, columnsFor, type StoredRow } from './block-of-rows';
import {
  PageTooLarge,
  type RowHome,
  type RowPage,
  RowsDiffer,
  RowsMissing,
  type RowSums,
  type Write,
  type RowWriter,
  type WrittenRows,
} from './row-home';
import { OTHER_TEXTS, PROPERTY_COLUMNS, ROW_COLUMNS, ROW_KEY, TEXTS } from './row-tables';
import { type Cell, RowsOfDay } from './rows-of-block';

/** Transactions are short, because SQLite accepts no event during one. */
const WRITTEN_AT_ONCE = { rows: 1000, bytes: 1024 * 1024 };
/** A row may be large, so it is not known before the first ones are read how many are read at once. */
export const READ_AT_ONCE = { least: 64, most: 10_000, bytes: 4 * 1024 * 1024, times: 8, block: 10_000 };
const REMOVED_AT_ONCE = 1000;
/** Other work of the process goes on between two steps. */
const ROWS_OF_STEP = 50;
const BYTES_OF_CODE = 4;
const TEXT_COLUMNS = new Set<string>([...TEXTS, ...OTHER_TEXTS, 'name', 'value']);
const OF_DAY = 'website = ? AND day = ? AND version = ?';

export interface BlockWithTexts {
  readonly block: HitBlock;
  readonly texts: WebsiteTexts;
}

/** Rows in the service's own database. */
export const ROWS_HERE: RowHome = {
  readPage: (read, { key: { websiteId, day, version }, names, after, most }) =>
    read((reader) =>
      reader.query<StoredRow[]>(
        `SELECT ${columnsFor(names).join(', ')} FROM hits WHERE ${OF_DAY} AND visitor >= ? AND place > ?
        ORDER BY visitor, place LIMIT ${most}`,
        [websiteId, day, version, after.visitor, after.place],
      ),
    ),
  readSums: (read, key) => read((reader) => readSums(reader, key)),
  writer: (write) => new WriterHere(write),
};

/** Each transaction reads back what it wrote. */
class WriterHere implements RowWriter {
  constructor(private readonly write: Write) {}

  add(key: DayKey, rows: WrittenRows): Promise<void> {
    return this.write(async (manager) => {
      await insertAll(manager, insertionsOf(rows));
      if (!(await isAsWritten(manager, key, rows))) throw new RowsDiffer(key);
    });
  }

  end(): Promise<DayKey[]> {
    return Promise.resolve([]);
  }
}

/** Days as rows of a database, which any SQL tool can read. */
export class RowDays implements DayStore {
  constructor(private readonly database: Database) {}

  async put(key: DayKey, hits: HitBlocks): Promise<void> {
    await this.write(key, blocksOfDay(key.day, hits));
  }

  /** Replaces the rows of a day. */
  async write(key: DayKey, blocks: AsyncIterable<BlockWithTexts>): Promise<void> {
    await this.drop([key]);
    for await (const rows of rowsOf(key, blocks)) {
      await this.database.write((manager) => insertAll(manager, insertionsOf(rows)));
      await yieldIfNeeded();
    }
  }

  async drop(keys: readonly DayKey[]): Promise<void> {
    for (const key of keys)
      for (const statement of removalsOf(this.database, key))
        while ((await this.database.execute(...statement)) > 0) await yieldIfNeeded();
  }

  read<T>(keys: readonly DayKey[], work: (hits: HitBlocks) => Promise<T>): Promise<T> {
    return this.database.read((reader) => work(new StoredRows(ROWS_HERE, (own) => own(reader), keys)));
  }
}

export async function* blocksOfDay(day: number, hits: HitBlocks): AsyncGenerator<BlockWithTexts> {
  const days = (await hits.days()).filter((own) => own.day === day);
  for await (const block of hits.all(days)) yield { block, texts: hits.texts };
}

/** The rows of a day, in pieces that are written at once. Each block has the texts of its codes. */
export async function* rowsOf(
  key: DayKey,
  blocks: AsyncIterable<BlockWithTexts>,
): AsyncGenerator<WrittenRows> {
  const rowsOfDay = new RowsOfDay(key);
  let [hits, properties, bytes]: [Cell[][], Cell[][], number] = [[], [], 0];
  for await (const { block, texts } of blocks)
    for (const row of rowsOfDay.rowsOf(block, new WebsiteValues(texts))) {
      hits.push(row.hit);
      properties.push(...row.properties);
      bytes += bytesOf(row.hit) + row.properties.reduce((sum, own) => sum + bytesOf(own), 0);
      if (hits.length % ROWS_OF_STEP === 0) await yieldIfNeeded();
      if (hits.length < WRITTEN_AT_ONCE.rows && bytes < WRITTEN_AT_ONCE.bytes) continue;
      yield { hits, properties };
      [hits, properties, bytes] = [[], [], 0];
    }
  if (hits.length > 0) yield { hits, properties };
}

function insertionsOf({ hits, properties }: WrittenRows): Insertion[] {
  return [
    { table: 'hits', columns: ROW_COLUMNS, rows: hits },
    { table: 'hit_properties', columns: PROPERTY_COLUMNS, rows: properties },
  ];
}

/** Statements that remove some rows of a day, until none is left. */
export function removalsOf(
  { dialect }: Pick<Database, 'dialect'>,
  { websiteId, day, version }: DayKey,
): [sql: string, parameters: unknown[]][] {
  return [['hit_properties', [...ROW_KEY, 'name']] as const, ['hits', ROW_KEY] as const].map(
    ([table, key]) => [
      dialect.deleteSome(table, key.join(', '), OF_DAY, REMOVED_AT_ONCE),
      [websiteId, day, version],
    ],
  );
}

/** Tells whether the database has the rows of a transaction as they were written. */
async function isAsWritten(
  reader: Queryable,
  { websiteId, day, version }: DayKey,
  { hits, properties }: WrittenRows,
): Promise<boolean> {
  const [visitor, place] = [ROW_COLUMNS.indexOf('visitor'), ROW_COLUMNS.indexOf('place')];
  const [first, last] = [hits[0]!, hits.at(-1)!];
  const between = [websiteId, day, version, first[visitor], last[visitor], first[place], last[place]];
  const areStored = async (table: string, columns: string[], written: Cell[][]) => {
    const rows = await reader.query<StoredRow[]>(
      `SELECT ${columns.join(', ')} FROM ${table}
      WHERE ${OF_DAY} AND visitor BETWEEN ? AND ? AND place BETWEEN ? AND ?`,
      between,
    );
    const line = (cells: readonly Cell[]) =>
      JSON.stringify(
        cells.map((cell, index) => (TEXT_COLUMNS.has(columns[index]!) ? cell : cell && Number(cell))),
      );
    const stored = new Set(rows.map((row) => line(columns.map((name) => row[name]!))));
    return rows.length === written.length && written.every((cells) => stored.has(line(cells)));
  };
  return (
    (await areStored('hits', ROW_COLUMNS, hits)) &&
    (await areStored('hit_properties', PROPERTY_COLUMNS, properties))
  );
}

/** The number of rows of a day, and the sum of their places. */
async function readSums(reader: Queryable, { websiteId, day, version }: DayKey): Promise<RowSums> {
  const [row] = await reader.query<Record<'hits' | 'places', number | string>[]>(
    `SELECT COUNT(*) AS hits, COALESCE(SUM(place), 0) AS places FROM hits WHERE ${OF_DAY}`,
    [websiteId, day, version],
  );
  return { hits: Number(row!.hits), places: Number(row!.places) };
}

interface Wanted {
  readonly names?: readonly ColumnName[];
  readonly texts?: WebsiteTexts;
  readonly check?: Check | undefined;
  /** Called with the bytes that reading takes at the moment. It throws if they are too many. */
  readonly reserve?: (bytes: number) => void;
}

/** The hits of a day, with some columns. A visitor has all hits in one block. Texts are the caller's, or of each block. */
export async function* readRowsOfDay(
  home: RowHome,
  read: Reading,
  key: DayKey,
  { names = COLUMN_NAMES, texts: known, check, reserve }: Wanted = {},
): AsyncGenerator<BlockWithTexts> {
  let next = new BlockOfRows(names, known);
  let places = 0;
  const taken = (): BlockWithTexts => ({ block: next.block(key.day), texts: next.texts });
  const pageOf = (after: RowPage['after'], most: number) =>
    home.readPage(read, { key, names, after, most }, check);
  for await (const rows of readPages(pageOf)) {
    reserve?.(bytesOfRows(rows) + BYTES_OF_CODE * names.length * next.hits);
    for (const row of rows) {
      if (next.hits >= READ_AT_ONCE.block && next.endsBefore(row)) {
        yield taken();
        next = new BlockOfRows(names, known);
      }
      // Another home may have one row twice, and lack another.
      if (home !== ROWS_HERE && Number(row.place) !== places++) throw new RowsMissing(key.day);
      next.add(row);
    }
    await yieldIfNeeded();
  }
  if (next.hits > 0) yield taken();
}

/** The rows of a day in order, some at a time. */
async function* readPages(
  pageOf: (after: RowPage['after'], most: number) => Promise<StoredRow[]>,
): AsyncGenerator<StoredRow[]> {
  let [visitor, place, most] = [0, -1, READ_AT_ONCE.least];
  for (;;) {
    let rows: StoredRow[];
    try {
      rows = await pageOf({ visitor, place }, most);
    } catch (error) {
      if (!(error instanceof PageTooLarge) || most === 1) throw error;
      most = Math.ceil(most / 2);
      continue;
    }
    if (rows.length === 0) return;
    yield rows;
    if (rows.length < most) return;
    [visitor, place] = [Number(rows.at(-1)!.visitor), Number(rows.at(-1)!.place)];
    const fitting = Math.floor((READ_AT_ONCE.bytes * rows.length) / bytesOfRows(rows));
    most = Math.max(READ_AT_ONCE.least, Math.min(fitting, READ_AT_ONCE.times * most, READ_AT_ONCE.most));
  }
}

function bytesOfRows(rows: readonly StoredRow[]): number {
  return rows.reduce((sum, row) => sum + bytesOf(Object.values(row)), 1);
}

function bytesOf(cells: readonly Cell[]): number {
  return cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? 2 * cell.length : 8), 0);
}

/** The hits of some days in a home. */
export class StoredRows implements HitBlocks {
  readonly texts = new WebsiteTexts(Infinity);

  constructor(
    private readonly home: RowHome,
    private readonly read: Reading,
    private readonly keys: readonly DayKey[],
  ) {}

  async days(): Promise<DayOfHits[]> {
    const days: DayOfHits[] = [];
    for (const key of this.keys)
      days.push({ ...key, hits: (await this.home.readSums(this.read, key)).hits, isSealed: true });
    return days.filter(({ hits }) => hits > 0);
  }

  async *all(days: readonly DayOfHits[]): AsyncGenerator<HitBlock> {
    for (const { day } of days) {
      const key = this.keys.find((own) => own.day === day)!;
      const { home, read, texts } = this;
      for await (const { block } of readRowsOfDay(home, read, key, { texts })) yield block;
    }
  }
}
