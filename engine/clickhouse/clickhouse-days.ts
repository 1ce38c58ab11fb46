import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickhouseAddress } from '../database/hit-settings';
import type { Reading, Transaction } from '../database/rows';
import type { Check } from '../ground/deadline-check';
import { yieldIfNeeded } from '../ground/time/yield-if-needed';
import type { Span } from '../hits/calendar';
import type { HitBlocks } from '../hits/hit-block';
import type { DayKey, DayStore } from '../port';
import { columnsFor, type StoredRow } from '../rows/block-of-rows';
import { blocksOfDay, rowsOf, StoredRows } from '../rows/row-days';
import {
  areWhole,
  HomeAway,
  PageTooLarge,
  type RemoteHome,
  type RowPage,
  refuseDiffering,
  type RowSums,
  type RowWriter,
  type Write,
  type WrittenRows,
} from '../rows/row-home';
import { ROW_COLUMNS } from '../rows/row-tables';
import { problemsOfClickhouse } from './clickhouse-check';
import { ClickhouseServer, type Value } from './clickhouse-server';
import { creationOf, missingColumns, readable, TABLE_COLUMNS, typeOf } from './clickhouse-table';

/** Each insert makes a part, so small days are written together. */
const WRITTEN_AT_ONCE = { rows: 20_000, pieces: 24 };
/** A removal is looked at after pauses that double. */
const REMOVAL = { firstPauseMs: 20, patienceMs: 20_000 };
const RENEWED_EVERY_MS = 1000;
const PLACE = ROW_COLUMNS.indexOf('place');
const VISITOR = ROW_COLUMNS.indexOf('visitor');
const NAMES = ROW_COLUMNS.indexOf('property_names');
const OF_PROPERTY = { place: 4, name: 5, value: 6 };
/** Rows are read from there without the service's own database. */
const NO_DATABASE: Reading = () => Promise.reject(new Error('rows of ClickHouse are not read from SQL'));
const NO_TRANSACTION: Transaction = {
  query: () => NO_DATABASE(() => Promise.reject(new Error())),
  queryRunner: undefined,
};
const KEY = '(website, day, version)';

/** Days as rows of a table of ClickHouse. */
export class ClickhouseDays implements RemoteHome, DayStore {
  private readonly server: ClickhouseServer;
  private creation: Promise<void> | undefined;

  constructor(
    readonly address: ClickhouseAddress,
    hangsUntil?: Int32Array,
  ) {
    this.server = new ClickhouseServer(address, hangsUntil);
  }

  get table(): string {
    return `${this.address.database}.${this.address.table}`;
  }

  async readPage(_: Reading, { key, names, after, most }: RowPage, check?: Check): Promise<StoredRow[]> {
    const columns = columnsFor(names);
    const rows = await this.server.query<Value[]>(
      `SELECT ${columns.map(readable).join(', ')} FROM ${this.table}
      WHERE ${isOf(key)} AND visitor >= ${after.visitor} AND place > ${after.place}
      ORDER BY visitor, place LIMIT ${most}`,
      check,
    );
    return rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index]!, value])));
  }

  async readSums(_: Reading, key: DayKey): Promise<RowSums> {
    const [row] = await this.server.query<[hits: string, places: string]>(
      `SELECT count(), sum(place) FROM ${this.table} WHERE ${isOf(key)}`,
    );
    return { hits: Number(row![0]), places: Number(row![1]) };
  }

  writer(write: Write): RowWriter {
    return new ClickhouseWriter(this, this.server, write);
  }

  /** A table that exists stays, whatever its engine is. It gets the columns of later releases. */
  async create(): Promise<void> {
    this.creation ??= this.createNow().catch((error: unknown) => {
      this.creation = undefined;
      throw error;
    });
    await this.creation;
  }

  private async createNow(): Promise<void> {
    await this.server.run(creationOf(this.table));
    const described = await this.server.query<[name: string]>(`DESCRIBE ${this.table}`);
    const missing = missingColumns(new Set(described.map(([name]) => name)));
    if (missing.length === 0) return;
    const added = missing.map((name) => `ADD COLUMN IF NOT EXISTS ${name} ${typeOf(name)}`);
    await this.server.run(`ALTER TABLE ${this.table} ${added.join(', ')}`);
  }

  /** For a process that ends. */
  stop(): void {
    this.server.stop();
  }

  /** A removal goes on there after its statement. While one does, no other begins. */
  async drop(keys: readonly DayKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.create();
    const days = [...new Set(keys.map(({ day }) => `toDate(${day})`))];
    const ofKeys = `FROM ${this.table} WHERE day IN (${days.join(', ')}) AND ${KEY} IN (${keys.map(tupleOf).join(', ')})`;
    const endsAt = performance.now() + REMOVAL.patienceMs;
    for (let pauseMs = REMOVAL.firstPauseMs; await this.has(ofKeys); pauseMs *= 2) {
      if (performance.now() + pauseMs > endsAt)
        throw new HomeAway(this.address.host, new Error('it has not removed rows yet'));
      if (!(await this.isRemoving())) await this.server.run(`DELETE ${ofKeys}`);
      await sleep(pauseMs);
    }
  }

  async span(): Promise<Span | undefined> {
    await this.create();
    const [row] = await this.server.query<[from: number, to: number, hits: string]>(
      `SELECT toUInt16(min(day)), toUInt16(max(day)), count() FROM ${this.table}`,
    );
    const [from, to, hits] = row!;
    return Number(hits) > 0 ? { from, to } : undefined;
  }

  async listVersions({ from, to }: Span, most: number, after?: DayKey): Promise<DayKey[]> {
    await this.create();
    const rows = await this.server.query<[website: number, day: number, version: string]>(
      `SELECT website, toUInt16(day), version FROM ${this.table}
      WHERE day BETWEEN toDate(${from}) AND toDate(${to}) ${after ? `AND ${KEY} > ${tupleOf(after)}` : ''}
      GROUP BY website, day, version ORDER BY website, day, version LIMIT ${most}`,
    );
    return rows.map(([websiteId, day, version]) => ({ websiteId, day, version: Number(version) }));
  }

  async check(): Promise<string[]> {
    await this.create();
    return problemsOfClickhouse(this, this.server);
  }

  /** It is the comment of the table, which changes at once, and which backups of the table have. */
  async readMark(): Promise<string> {
    await this.create();
    const [row] = await this.server.query<[comment: string]>(
      `SELECT comment FROM system.tables WHERE ${this.isTable}`,
    );
    return /^milepost (\w+)$/.exec(row?.[0] ?? '')?.[1] ?? '';
  }

  writeMark(mark: string): Promise<void> {
    return this.server.run(`ALTER TABLE ${this.table} MODIFY COMMENT 'milepost ${mark}'`);
  }

  async put(key: DayKey, hits: HitBlocks): Promise<void> {
    await this.drop([key]);
    const writer = this.writer((work) => work(NO_TRANSACTION));
    for await (const rows of rowsOf(key, blocksOfDay(key.day, hits))) await writer.add(key, rows);
    refuseDiffering(await writer.end());
  }

  private async has(ofKeys: string): Promise<boolean> {
    return (await this.server.query(`SELECT 1 ${ofKeys} LIMIT 1`)).length > 0;
  }

  private async isRemoving(): Promise<boolean> {
    const running = `SELECT 1 FROM system.mutations WHERE ${this.isTable} AND NOT is_done LIMIT 1`;
    return (await this.server.query(running)).length > 0;
  }

  /** Names have letters and digits alone. */
  private get isTable(): string {
    const { database, table } = this.address;
    return `database = '${database}' AND table = '${table}'`;
  }

  read<T>(keys: readonly DayKey[], work: (hits: HitBlocks) => Promise<T>): Promise<T> {
    return work(new StoredRows(this, NO_DATABASE, keys));
  }
}

interface Piece {
  readonly key: DayKey;
  readonly rows: unknown[][];
}

/** Reads back what it wrote. A statement that failed may have written all the same, so it is never repeated. */
class ClickhouseWriter implements RowWriter {
  private pieces: Piece[] = [];
  private readonly written = new Map<string, { key: DayKey; hits: number }>();
  private readonly differing = new Map<string, DayKey>();

  constructor(
    private readonly days: ClickhouseDays,
    private readonly server: ClickhouseServer,
    private readonly write: Write,
  ) {}

  async add(key: DayKey, written: WrittenRows): Promise<void> {
    const rows = tableRows(written);
    this.pieces.push({ key, rows });
    const name = tupleOf(key);
    this.written.set(name, { key, hits: (this.written.get(name)?.hits ?? 0) + rows.length });
    const all = this.pieces.reduce((sum, piece) => sum + piece.rows.length, 0);
    if (all >= WRITTEN_AT_ONCE.rows || this.pieces.length >= WRITTEN_AT_ONCE.pieces) await this.flush();
  }

  /** Whatever was written twice, or is missing by now, is found by the sums of the days. */
  async end(): Promise<DayKey[]> {
    await this.flush();
    for (const { key, hits } of this.written.values()) {
      const sums = await this.during(this.days.readSums(NO_DATABASE, key));
      if (!areWhole(sums, hits)) this.differing.set(tupleOf(key), key);
    }
    return [...this.differing.values()];
  }

  private async flush(): Promise<void> {
    const { pieces } = this;
    if (pieces.length === 0) return;
    this.pieces = [];
    await this.goOn();
    await this.days.create();
    const rows = pieces.flatMap((piece) => piece.rows);
    await this.during(this.server.insert(this.days.table, TABLE_COLUMNS, rows));
    for (const piece of joined(pieces))
      if (!(await this.during(this.isThere(piece)))) this.differing.set(tupleOf(piece.key), piece.key);
  }

  /** Fails if the work must not go on. */
  private goOn(): Promise<void> {
    return this.write(() => Promise.resolve());
  }

  /** A statement may take longer than the lease of the website, which `goOn` renews. */
  private async during<T>(statement: Promise<T>): Promise<T> {
    let renewed = Promise.resolve();
    const renewal = setInterval(() => {
      renewed = renewed.then(() => this.goOn());
      renewed.catch(() => undefined);
    }, RENEWED_EVERY_MS);
    try {
      const result = await statement;
      await renewed.then(() => this.goOn());
      return result;
    } finally {
      clearInterval(renewal);
    }
  }

  private async isThere(piece: Piece): Promise<boolean> {
    try {
      return await this.isStored(piece);
    } catch (error) {
      const { key, rows } = piece;
      if (!(error instanceof PageTooLarge) || rows.length === 1) throw error;
      const half = Math.ceil(rows.length / 2);
      const [before, after] = [rows.slice(0, half), rows.slice(half)];
      return (await this.isThere({ key, rows: before })) && (await this.isThere({ key, rows: after }));
    }
  }

  private async isStored({ key, rows }: Piece): Promise<boolean> {
    const [first, last] = [rows[0]!, rows.at(-1)!];
    const between = (column: number) => `BETWEEN ${Number(first[column])} AND ${Number(last[column])}`;
    const stored = await this.server.query(
      `SELECT ${TABLE_COLUMNS.map(readable).join(', ')} FROM ${this.days.table}
      WHERE ${isOf(key)} AND visitor ${between(VISITOR)} AND place ${between(PLACE)}
      ORDER BY visitor, place`,
    );
    if (stored.length !== rows.length) return false;
    for (const [index, row] of rows.entries()) {
      if (lineOf(row) !== lineOf(stored[index]!)) return false;
      await yieldIfNeeded();
    }
    return true;
  }
}

/** Pieces of one day that follow each other, as one. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const { key, rows } of pieces) {
    const last = all.at(-1);
    if (last && tupleOf(last.key) === tupleOf(key)) last.rows.push(...rows);
    else all.push({ key, rows: [...rows] });
  }
  return all;
}

/** Numbers of 64 bits are read as texts. */
function lineOf(row: readonly unknown[]): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'number' ? String(value) : value));
}

/** With the properties of each hit as two lists. */
function tableRows({ hits, properties }: WrittenRows): unknown[][] {
  const ofHits = new Map<Value, [names: Value[], values: Value[]]>();
  for (const row of properties) {
    const place = row[OF_PROPERTY.place]!;
    const [names, values] = ofHits.get(place) ?? [[], []];
    names.push(row[OF_PROPERTY.name]!);
    values.push(row[OF_PROPERTY.value]!);
    ofHits.set(place, [names, values]);
  }
  return hits.map((row) => {
    const [names, values] = ofHits.get(row[PLACE]!) ?? [[], []];
    return [...row.with(NAMES, names as never), values];
  });
}

/** Each column alone, because that uses the order of the table in every version of ClickHouse. */
function isOf({ websiteId, day, version }: DayKey): string {
  return `website = ${Number(websiteId)} AND day = toDate(${Number(day)}) AND version = ${Number(version)}`;
}

/** All are numbers. */
function tupleOf({ websiteId, day, version }: DayKey): string {
  return `(${Number(websiteId)}, toDate(${Number(day)}), ${Number(version)})`;
}
