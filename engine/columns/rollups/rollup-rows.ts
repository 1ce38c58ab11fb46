import {
  changedBy,
  inPieces,
  insertAll,
  type Insertion,
  placeholdersFor,
  type Queryable,
  type Transaction,
} from '../../database/rows';
import { monthOf, type Span } from '../../hits/calendar';
import { DIMENSIONS, type StatName } from '../../hits/stat-names';
import {
  ALL_NAMES,
  DamagedRollup,
  entriesInDirectory,
  type DirectoryEntry,
  FORGOTTEN,
  GIVEN_UP,
  MAX_DIRECTORY_BYTES,
  MAX_ROLLUP_BYTES,
  type RollupKey,
  type RollupRow,
  type Section,
  sectionIn,
  SPANS,
} from './rollup-format';

/*
 * A row of `rollup_spans` names the rollup of a span. It exists only while the rollup agrees with the hits of the span:
 * a transaction that adds or removes hits of a day, or changes what is left out of it, also removes the rows of the day
 * and of its month. Rows of `rollups` without a span are ignored.
 */

const SPAN_COLUMNS = ['website_id', 'span', 'day', 'number', 'hits', 'limited'];
const COLUMNS = ['website_id', 'number', 'name', 'part', 'data'];
/** The limit of one statement. */
const BYTES_AT_ONCE = 4 * 1024 * 1024;
const DIRECTORIES_AT_ONCE = BYTES_AT_ONCE / MAX_DIRECTORY_BYTES;
const PARTS_AT_ONCE = BYTES_AT_ONCE / MAX_ROLLUP_BYTES;
const NUMBERS_AT_ONCE = 500;
const RANGES_AT_ONCE = 100;

export interface RollupSpan {
  /** The day, or the first day of the month. */
  day: number;
  number: number;
  /** The number of hits that it covers. */
  hits: number;
  /** The names with values in `(other)`, as bits of `limitedBit`. */
  limited: number;
}

export interface NamedSpan extends RollupSpan {
  websiteId: number;
  /** One of `SPANS`, `GIVEN_UP` or `FORGOTTEN`. */
  span: number;
}

/** A section of a rollup. */
interface RollupSection extends Section, RollupKey {}

/** The requested days and months. A month is given by its first day. */
export interface RollupRanges {
  months: Span | undefined;
  days: Span[];
}

/** For a row that names no rollup but marks its day. */
const NO_ROLLUP = { number: 0, hits: 0, limited: 0 };

export function limitedBit(name: StatName): number {
  return 1 << DIMENSIONS[name].code;
}

/** The days or months of a range with a rollup, in order. */
export async function readSpans(
  reader: Queryable,
  websiteId: number,
  span: number,
  from: number,
  to: number,
): Promise<RollupSpan[]> {
  const rows = await reader.query<Record<keyof RollupSpan, number | string>[]>(
    `SELECT day, number, hits, limited FROM rollup_spans
    WHERE website_id = ? AND span = ? AND day BETWEEN ? AND ? ORDER BY day`,
    [websiteId, span, from, to],
  );
  return rows.map(({ day, number, hits, limited }) => ({
    ...{ day: Number(day), number: Number(number) },
    ...{ hits: Number(hits), limited: Number(limited) },
  }));
}

/** The days of a range whose rollup has values of a name in `(other)`. */
export async function readLimitedDays(
  reader: Queryable,
  websiteId: number,
  name: StatName,
  { from, to }: Span,
): Promise<number[]> {
  const rows = await reader.query<{ day: number }[]>(
    `SELECT day FROM rollup_spans WHERE website_id = ? AND span = ? AND day BETWEEN ? AND ?
    AND (limited & ?) <> 0 ORDER BY day`,
    [websiteId, SPANS.day, from, to, limitedBit(name)],
  );
  return rows.map(({ day }) => day);
}

/**
 * The counts of a name in the rollups of some ranges, in pieces of limited size. A small result takes one statement.
 */
export async function* readRollups(
  reader: Queryable,
  websiteId: number,
  name: StatName,
  ranges: RollupRanges,
): AsyncGenerator<RollupSection[]> {
  const { code } = DIMENSIONS[name];
  for await (const directories of readDirectories(reader, websiteId, ranges)) {
    const sections: RollupSection[] = [];
    const apart: NameInRows[] = [];
    for (const { key, entries } of directories)
      for (const entry of entries)
        if (entry.name === code) {
          if (entry.section) sections.push({ ...key, ...entry.section });
          else apart.push({ ...key, ...entry });
        }
    if (sections.length > 0) yield sections;
    yield* readSectionsInRows(reader, websiteId, code, apart);
  }
}

/** All counts of a rollup, by the codes of the names, in pieces of limited size. */
export async function* readRollup(
  reader: Queryable,
  key: RollupKey,
): AsyncGenerator<{ name: number; sections: Section[] }> {
  const [row] = await reader.query<{ data: Buffer }[]>(
    'SELECT data FROM rollups WHERE website_id = ? AND number = ? AND name = ? AND part = 0',
    [key.websiteId, key.number, ALL_NAMES],
  );
  if (!row) throw new DamagedRollup(key, ALL_NAMES, 0);
  for (const entry of entriesInDirectory(key, row.data)) {
    const { name, section } = entry;
    if (section) yield { name, sections: [section] };
    else
      for await (const sections of readSectionsInRows(reader, key.websiteId, name, [{ ...key, ...entry }]))
        yield { name, sections };
  }
}

/** Makes a rollup, whose rows are written, current for its span. */
export async function nameSpan(manager: Transaction, named: NamedSpan): Promise<void> {
  await removeSpan(manager, named);
  await insertAll(manager, [spanInsertion([named])]);
}

export function spanInsertion(spans: NamedSpan[]): Insertion {
  return {
    table: 'rollup_spans',
    columns: SPAN_COLUMNS,
    rows: spans.map(({ websiteId, span, day, number, hits, limited }) => [
      ...[websiteId, span, day],
      ...[number, hits, limited],
    ]),
  };
}

/** Removes the rollups of some days and of their months. Returns how many days had one. */
export async function removeSpans(
  manager: Transaction,
  websiteId: number,
  days: readonly number[],
): Promise<number> {
  if (days.length === 0) return 0;
  const months = [...new Set(days.map((day) => monthOf(day)))];
  return changedBy(
    manager,
    `DELETE FROM rollup_spans WHERE website_id = ? AND (
      (span = ? AND day IN ${placeholdersFor(days)}) OR (span = ? AND day IN ${placeholdersFor(months)}))`,
    [websiteId, SPANS.day, ...days, SPANS.month, ...months],
  );
}

/** Removes the rollups of ranges of days and months. */
export async function removeSpansWithin(
  manager: Transaction,
  websiteId: number,
  days: Span,
  months: Span,
): Promise<void> {
  for (const [span, { from, to }] of [
    [SPANS.day, days],
    [SPANS.month, months],
  ] as const)
    await manager.query(
      'DELETE FROM rollup_spans WHERE website_id = ? AND span = ? AND day BETWEEN ? AND ?',
      [websiteId, span, from, to],
    );
}

/** Removes the rollups and the marks of days without hits, and the rollups of their months. */
export async function removeAllOfDays(
  manager: Transaction,
  websiteId: number,
  days: readonly number[],
): Promise<void> {
  await removeSpans(manager, websiteId, days);
  if (days.length === 0) return;
  await manager.query(
    `DELETE FROM rollup_spans WHERE website_id = ? AND span IN (?, ?) AND day IN ${placeholdersFor(days)}`,
    [websiteId, GIVEN_UP, FORGOTTEN, ...days],
  );
}

/** Marks days whose hits expire without a rollup. */
export async function noteGivenUpDays(
  manager: Transaction,
  websiteId: number,
  days: readonly number[],
): Promise<void> {
  await insertAll(manager, [
    spanInsertion(days.map((day) => ({ websiteId, span: GIVEN_UP, day, ...NO_ROLLUP }))),
  ]);
}

/** Marks days whose columns count some visitors more than once. */
export function noteForgottenDay(manager: Transaction, websiteId: number, day: number): Promise<void> {
  return nameSpan(manager, { websiteId, span: FORGOTTEN, day, ...NO_ROLLUP });
}

/** The days of a range with visitors who were forgotten before sealing. */
export async function readForgottenDays(
  reader: Queryable,
  websiteId: number,
  { from, to }: Span,
): Promise<number[]> {
  return (await readSpans(reader, websiteId, FORGOTTEN, from, to)).map(({ day }) => day);
}

export async function findDaysNotGivenUp(
  reader: Queryable,
  websiteId: number,
  days: readonly number[],
): Promise<number[]> {
  if (days.length === 0) return [];
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const known = new Set((await readSpans(reader, websiteId, GIVEN_UP, first, last)).map(({ day }) => day));
  return days.filter((day) => !known.has(day));
}

/** Removes the rollup of a month. Its days keep theirs. */
export async function removeMonth(manager: Transaction, websiteId: number, month: number): Promise<void> {
  await removeSpan(manager, { websiteId, span: SPANS.month, day: month });
}

async function removeSpan(
  manager: Transaction,
  { websiteId, span, day }: Pick<NamedSpan, 'websiteId' | 'span' | 'day'>,
): Promise<void> {
  await manager.query('DELETE FROM rollup_spans WHERE website_id = ? AND span = ? AND day = ?', [
    websiteId,
    span,
    day,
  ]);
}

/** Removes the rollups of all spans. Marks of days stay. */
export async function removeAllSpans(manager: Transaction, websiteId: number): Promise<void> {
  await manager.query('DELETE FROM rollup_spans WHERE website_id = ? AND span IN (?, ?)', [
    websiteId,
    SPANS.day,
    SPANS.month,
  ]);
}

export function rollupInsertion(rows: RollupRow[]): Insertion {
  return {
    table: 'rollups',
    columns: COLUMNS,
    rows: rows.map(({ websiteId, number, name, part, data }) => [websiteId, number, name, part, data]),
  };
}

/** The numbers of rollups without a span. */
export async function findUnnamedRollups(reader: Queryable, websiteId: number): Promise<number[]> {
  const rows = await reader.query<{ number: number | string }[]>(
    `SELECT DISTINCT number FROM rollups WHERE website_id = ?
    AND number NOT IN (SELECT number FROM rollup_spans WHERE website_id = ?) ORDER BY number`,
    [websiteId, websiteId],
  );
  return rows.map(({ number }) => Number(number));
}

/** Removes some rows of a rollup. Returns false if more may be left. */
export async function removeSomeRollupRows(
  manager: Transaction,
  websiteId: number,
  number: number,
  maxBytes: number,
): Promise<boolean> {
  const most = Math.max(1, Math.floor(maxBytes / MAX_ROLLUP_BYTES));
  const rows = await manager.query<Pick<RollupRow, 'name' | 'part'>[]>(
    `SELECT name, part FROM rollups WHERE website_id = ? AND number = ? LIMIT ${most}`,
    [websiteId, number],
  );
  for (const { name, part } of rows)
    await manager.query('DELETE FROM rollups WHERE website_id = ? AND number = ? AND name = ? AND part = ?', [
      websiteId,
      number,
      name,
      part,
    ]);
  return rows.length < most;
}

interface Directory {
  key: RollupKey;
  entries: DirectoryEntry[];
}

/** Consecutive days or months. */
interface Range extends Span {
  span: number;
}

async function* readDirectories(
  reader: Queryable,
  websiteId: number,
  { months, days }: RollupRanges,
): AsyncGenerator<Directory[]> {
  const ranges = days.map((own): Range => ({ ...own, span: SPANS.day }));
  if (months) ranges.push({ ...months, span: SPANS.month });
  for (const some of inPieces(ranges, RANGES_AT_ONCE, DIRECTORIES_AT_ONCE, mostSpansIn)) {
    const [{ span, to }] = some as [Range];
    for (let left = some; left.length > 0;) {
      const directories = await readDirectoriesOf(reader, websiteId, left);
      if (directories.length > 0) yield directories;
      const isWhole = some.length > 1 || directories.length < DIRECTORIES_AT_ONCE;
      left = isWhole ? [] : [{ span, from: directories.at(-1)!.key.day + 1, to }];
    }
  }
}

/** Of one range, the first directories; of several ranges, all, which are few. */
async function readDirectoriesOf(
  reader: Queryable,
  websiteId: number,
  ranges: Range[],
): Promise<Directory[]> {
  // If the ranges were alternatives in one condition, SQLite would read all spans of the website.
  const ofRange = `SELECT named.span AS span, named.day AS day, named.number AS number, own.data AS data
    FROM rollup_spans named LEFT JOIN rollups own ON own.website_id = named.website_id
      AND own.number = named.number AND own.name = ${ALL_NAMES} AND own.part = 0
    WHERE named.website_id = ? AND named.span = ? AND named.day BETWEEN ? AND ?`;
  const ending = ranges.length === 1 ? `ORDER BY named.day LIMIT ${DIRECTORIES_AT_ONCE}` : '';
  const rows = await reader.query<(Omit<RollupKey, 'websiteId'> & { data: Buffer | null })[]>(
    `${ranges.map(() => ofRange).join(' UNION ALL ')} ${ending}`,
    ranges.flatMap(({ span, from, to }) => [websiteId, span, from, to]),
  );
  return rows.map(({ data, ...row }) => {
    const key = { websiteId, ...row, number: Number(row.number) };
    if (!data) throw new DamagedRollup(key, ALL_NAMES, 0);
    return { key, entries: entriesInDirectory(key, data) };
  });
}

/** Every month has at least 28 days. */
function mostSpansIn({ span, from, to }: Range): number {
  return Math.floor((to - from) / (span === SPANS.day ? 1 : 28)) + 1;
}

/** A name of a rollup with rows of its own. */
type NameInRows = RollupKey & Pick<DirectoryEntry, 'parts' | 'bytes'>;

async function* readSectionsInRows(
  reader: Queryable,
  websiteId: number,
  name: number,
  names: NameInRows[],
): AsyncGenerator<RollupSection[]> {
  const whole = names.filter(({ parts }) => parts <= PARTS_AT_ONCE);
  for (const piece of inPieces(whole, NUMBERS_AT_ONCE, BYTES_AT_ONCE, ({ bytes }) => bytes))
    yield await readSectionsOfParts(reader, websiteId, name, piece, 0);
  for (const one of names.filter(({ parts }) => parts > PARTS_AT_ONCE))
    for (let part = 0; part < one.parts; part += PARTS_AT_ONCE)
      yield await readSectionsOfParts(reader, websiteId, name, [one], part);
}

async function readSectionsOfParts(
  reader: Queryable,
  websiteId: number,
  name: number,
  names: NameInRows[],
  firstPart: number,
): Promise<RollupSection[]> {
  const rows = await reader.query<{ number: number | string; part: number; data: Buffer }[]>(
    `SELECT number, part, data FROM rollups WHERE website_id = ? AND number IN ${placeholdersFor(names)} AND name = ?
    AND part BETWEEN ? AND ?`,
    [websiteId, ...names.map(({ number }) => number), name, firstPart, firstPart + PARTS_AT_ONCE - 1],
  );
  const stored = new Map(rows.map(({ number, part, data }) => [`${number} ${part}`, data]));
  return names.flatMap(({ parts, bytes: _, ...key }) => {
    const sections: RollupSection[] = [];
    for (let part = firstPart; part < Math.min(parts, firstPart + PARTS_AT_ONCE); part++) {
      const data = stored.get(`${key.number} ${part}`);
      if (!data) throw new DamagedRollup(key, name, part);
      sections.push({ ...key, ...sectionIn(key, name, part, data) });
    }
    return sections;
  });
}
