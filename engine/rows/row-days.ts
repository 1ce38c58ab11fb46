import { WebsiteValues } from '../asking/select/website-values';
import type { Database } from '../database/database';
import { insertRows, type Queryable } from '../database/rows';
import { yieldIfNeeded } from '../ground/time/yield-if-needed';
import { WebsiteTexts } from '../hits/codes/text-codes';
import type { DayOfHits, HitBlock, HitBlocks } from '../hits/hit-block';
import type { DayKey, DayStore } from '../port';
import { blockOfRows, type StoredRow } from './block-of-rows';
import { PROPERTY_COLUMNS, ROW_COLUMNS, ROW_KEY, addedText, rowTables } from './row-tables';
import { RowsOfDay } from './rows-of-block';

const ROWS_AT_ONCE = 10_000;
/** Transactions are short, because SQLite accepts no event during one. */
const ROWS_OF_TRANSACTION = 1000;

export interface BlockWithTexts {
  readonly block: HitBlock;
  readonly texts: WebsiteTexts;
}

/** Days as rows of a database, which any SQL tool can read. */
export class RowDays implements DayStore {
  constructor(private readonly database: Database) {}

  async createTables(): Promise<void> {
    for (const statement of rowTables(this.database.dialect))
      await this.database.write((manager) => manager.query(statement));
    // A release before may have created them, when hits had fewer fields.
    const { dialect } = this.database;
    const known = await this.database.query<{ table_name: string; column_name: string }[]>(
      `SELECT * FROM (${dialect.allColumns}) known WHERE table_name = 'hits'`,
    );
    const names = new Set(known.map(({ column_name }) => column_name));
    for (const name of ROW_COLUMNS)
      if (!names.has(name)) await this.database.write((manager) => manager.query(addedText(name, dialect)));
  }

  async put(key: DayKey, hits: HitBlocks): Promise<void> {
    await this.write(key, ofDay(key.day, hits));
  }

  /** Replaces the rows of a day. Each block has the texts of its codes. */
  async write(key: DayKey, blocks: AsyncIterable<BlockWithTexts>): Promise<void> {
    await this.drop([key]);
    const rowsOfDay = new RowsOfDay(key);
    for await (const { block, texts } of blocks)
      for (const { hits, properties } of rowsOfDay.rowsOf(
        block,
        new WebsiteValues(texts),
        ROWS_OF_TRANSACTION,
      )) {
        await this.database.write(async (manager) => {
          await insertRows(manager, 'hits', ROW_COLUMNS, hits);
          await insertRows(manager, 'hit_properties', PROPERTY_COLUMNS, properties);
        });
        await yieldIfNeeded();
      }
  }

  async drop(keys: readonly DayKey[]): Promise<void> {
    const { dialect } = this.database;
    const condition = 'website = ? AND day = ? AND version = ?';
    for (const { websiteId, day, version } of keys)
      for (const [table, key] of [
        ['hits', ROW_KEY],
        ['hit_properties', [...ROW_KEY, 'name']],
      ] as const) {
        const deletion = dialect.deleteSome(table, key.join(', '), condition, ROWS_OF_TRANSACTION);
        while ((await this.database.execute(deletion, [websiteId, day, version])) > 0) await yieldIfNeeded();
      }
  }

  read<T>(keys: readonly DayKey[], work: (hits: HitBlocks) => Promise<T>): Promise<T> {
    return this.database.read((reader) => work(new StoredRows(reader, keys)));
  }
}

async function* ofDay(day: number, hits: HitBlocks): AsyncGenerator<BlockWithTexts> {
  const days = (await hits.days()).filter((own) => own.day === day);
  for await (const block of hits.all(days)) yield { block, texts: hits.texts };
}

class StoredRows implements HitBlocks {
  readonly texts = new WebsiteTexts(Infinity);

  constructor(
    private readonly reader: Queryable,
    private readonly keys: readonly DayKey[],
  ) {}

  async days(): Promise<DayOfHits[]> {
    const days: DayOfHits[] = [];
    for (const { websiteId, day, version } of this.keys) {
      const [row] = await this.reader.query<{ hits: number | string }[]>(
        'SELECT COUNT(*) AS hits FROM hits WHERE website = ? AND day = ? AND version = ?',
        [websiteId, day, version],
      );
      days.push({ day, hits: Number(row!.hits), isSealed: true });
    }
    return days.filter(({ hits }) => hits > 0);
  }

  async *all(days: readonly DayOfHits[]): AsyncGenerator<HitBlock> {
    for (const { day } of days) yield* this.ofDay(this.keys.find((key) => key.day === day)!);
  }

  private async *ofDay(key: DayKey): AsyncGenerator<HitBlock> {
    let rows: StoredRow[] = [];
    for (let next = await this.rowsFrom(key, 0); next.length > 0;) {
      const last = next.at(-1)!;
      rows.push(...next);
      next = await this.rowsFrom(key, Number(last.place) + 1);
      // The last visitor may go on in the next rows.
      const whole = rows.findLastIndex((row) => row.visitor !== next[0]?.visitor) + 1;
      if (whole === 0) continue;
      yield blockOfRows(rows.slice(0, whole), this.texts);
      rows = rows.slice(whole);
      await yieldIfNeeded();
    }
  }

  private rowsFrom({ websiteId, day, version }: DayKey, place: number): Promise<StoredRow[]> {
    return this.reader.query<StoredRow[]>(
      `SELECT ${ROW_COLUMNS.join(', ')} FROM hits WHERE website = ? AND day = ? AND version = ? AND place >= ?
       ORDER BY visitor, place LIMIT ${ROWS_AT_ONCE}`,
      [websiteId, day, version, place],
    );
  }
}
