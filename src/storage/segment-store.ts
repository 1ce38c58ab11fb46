import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Queryable } from '../database/rows';
import { monthOf, type Span } from './calendar';
import { DIMENSIONS, STAT_NAMES } from './dimensions';
import {
  addSection,
  encodeSegment,
  packSection,
  type Section,
  sectionsOf,
  type Segment,
  SPANS,
} from './segment-format';
import {
  byName,
  type SegmentChange,
  type SegmentGroup,
  segmentsPerDay,
  segmentsWhere,
  type StoredSegment,
} from './segment-rows';
import { Sums } from './sums';

/** Counts by the code of their name. */
export type CountsByName = Map<number, Sums>;

export const NAME_CODES = STAT_NAMES.map((name) => DIMENSIONS[name].code).join(', ');

/** Days are put together in one row up to this size, so that small websites need few rows. */
const ROW_BYTES = 64 * 1024;
/**
 * A section of so many pairs fits a packet of 1 MiB, written as hexadecimal digits, while counts take up to 6 bytes.
 * Half of it is more than `ROW_BYTES`, so that each part of a split day has a row of its own.
 */
const MAX_PAIRS = 70_000;

/** What long work does between its pieces. */
export type Between = () => Promise<void>;

/** What has to be written to add counts to a day, and to the sum of its month where there is one, name by name. */
export async function* changesOfDay(
  reader: Queryable,
  websiteId: number,
  day: number,
  counts: CountsByName,
  mergedBefore: number,
): AsyncGenerator<{ name: number; changes: SegmentChange[] }> {
  const ofDay = byName(segmentsOn(reader, websiteId, day));
  const ofMonth = byName(sumsOfMonth(reader, websiteId, monthOf(day)));
  for (const name of [...counts.keys()].sort((one, other) => one - other)) {
    const sums = counts.get(name)!;
    const group = { websiteId, name, span: SPANS.days };
    const changes = [await changeOf(group, await ofDay(name), day, sums)];
    const sumOfMonth = await ofMonth(name);
    if (day < mergedBefore || sumOfMonth.length > 0)
      changes.push(await changeOf({ ...group, span: SPANS.month }, sumOfMonth, monthOf(day), sums));
    yield { name, changes };
  }
}

/** What is packed of a day, by name. */
export async function packedOn(reader: Queryable, websiteId: number, day: number): Promise<CountsByName> {
  const counts: CountsByName = new Map();
  for await (const segment of segmentsOn(reader, websiteId, day)) {
    const sums = counts.get(segment.name) ?? new Sums();
    counts.set(segment.name, sums);
    for (const section of sectionsOf(segment)) if (section.day === day) addSection(sums, section);
  }
  return counts;
}

/** The names that have days of a month, but no sum of it. */
export async function unmergedNames(reader: Queryable, websiteId: number, month: number): Promise<number[]> {
  const rows = await reader.query<{ name: number; last_span: number }[]>(
    `SELECT name, MAX(span) AS last_span FROM stat_segments
    WHERE website_id = ? AND name IN (${NAME_CODES}) AND day BETWEEN ? AND ? GROUP BY name ORDER BY name`,
    [websiteId, month, monthOf(month, 1) - 1],
  );
  return rows.filter(({ last_span }) => last_span === SPANS.days).map(({ name }) => name);
}

/** Adds the days of a month up into its sum, and puts small days together in few rows. */
export async function mergedMonth(
  reader: Queryable,
  websiteId: number,
  { name, month }: MonthOfName,
  between: Between,
): Promise<SegmentChange[]> {
  const days = { websiteId, name, span: SPANS.days };
  const months = { websiteId, name, span: SPANS.month };
  const sums = new Sums();
  const changes: SegmentChange[] = [];
  let small: StoredSegment[] = [];
  const putTogether = () => {
    const sections = small.flatMap(sectionsOf);
    if (small.length > rowsOf(sections).length) changes.push(replacement(days, small, sections));
    small = [];
  };
  for await (const segment of daysOfMonth(reader, websiteId, name, month)) {
    for (const section of sectionsOf(segment)) addSection(sums, section);
    if (segment.data.length <= ROW_BYTES) small.push(segment);
    else putTogether();
    await between();
  }
  putTogether();
  const removed = await segmentsPerDay(reader, months, { from: month, to: month });
  changes.push({ group: months, removed, added: encoded(months, await split(month, sums)) });
  return changes;
}

/** Puts counts of days in the place of all that is packed of a name from the first to the last of them. */
export async function replacedDays(
  reader: Queryable,
  websiteId: number,
  name: number,
  range: Span,
  counts: ReadonlyMap<number, Sums>,
): Promise<SegmentChange> {
  const group = { websiteId, name, span: SPANS.days };
  const sections: Section[] = [];
  for (const [day, sums] of [...counts].sort(([one], [other]) => one - other))
    sections.push(...(await split(day, sums)));
  return { group, removed: await segmentsPerDay(reader, group, range), added: encoded(group, sections) };
}

export interface MonthOfName {
  /** The code of the name. */
  name: number;
  month: number;
}

/** All months of all names of which something is packed. */
export async function packedMonths(reader: Queryable, websiteId: number): Promise<MonthOfName[]> {
  const rows = await reader.query<{ name: number; day: number }[]>(
    'SELECT DISTINCT name, day FROM stat_segments WHERE website_id = ? ORDER BY name, day',
    [websiteId],
  );
  const months = rows.map(({ name, day }) => ({ name, month: monthOf(day) }));
  return months.filter(
    ({ name, month }, index) => name !== months[index - 1]?.name || month !== months[index - 1]?.month,
  );
}

/** The days of a month of one name. */
export function daysOfMonth(
  reader: Queryable,
  websiteId: number,
  name: number,
  month: number,
): AsyncGenerator<StoredSegment> {
  return segmentsWhere(reader, websiteId, 'name = ? AND span = ? AND day BETWEEN ? AND ?', [
    name,
    SPANS.days,
    month,
    monthOf(month, 1) - 1,
  ]);
}

/** The sums of a month of all names, or of one. */
export function sumsOfMonth(
  reader: Queryable,
  websiteId: number,
  month: number,
  name: number | string = NAME_CODES,
): AsyncGenerator<StoredSegment> {
  return segmentsWhere(reader, websiteId, `name IN (${name}) AND span = ? AND day = ?`, [SPANS.month, month]);
}

function segmentsOn(reader: Queryable, websiteId: number, day: number): AsyncGenerator<StoredSegment> {
  return segmentsWhere(
    reader,
    websiteId,
    `name IN (${NAME_CODES}) AND span = ? AND day BETWEEN ? AND ? AND last_day >= ?`,
    [SPANS.days, monthOf(day), day, day],
  );
}

async function changeOf(
  group: SegmentGroup,
  stored: Segment[],
  day: number,
  change: Sums,
): Promise<SegmentChange> {
  const sections = stored.flatMap(sectionsOf);
  const sums = new Sums();
  for (const section of sections) if (section.day === day) addSection(sums, section);
  sums.addAll(change);
  const others = sections.filter((section) => section.day !== day);
  const all = [...others, ...(await split(day, sums))].sort((one, other) => one.day - other.day);
  return replacement(group, stored, all);
}

function replacement(group: SegmentGroup, stored: Segment[], sections: Section[]): SegmentChange {
  const removed = new Map<number, number>();
  for (const { day } of stored) removed.set(day, (removed.get(day) ?? 0) + 1);
  return { group, removed, added: encoded(group, sections) };
}

function encoded(group: SegmentGroup, sections: Section[]): unknown[][] {
  const { websiteId, name, span } = group;
  const parts = new Map<number, number>();
  return rowsOf(sections).map((row) => {
    const { day } = row[0]!;
    const part = parts.get(day) ?? 0;
    parts.set(day, part + 1);
    const data = encodeSegment({ ...group, day, part }, row);
    return [websiteId, name, span, day, part, row.at(-1)!.day, data];
  });
}

/** The counts of a day as one section, or as several of about the same size. */
async function split(day: number, sums: Sums): Promise<Section[]> {
  const ids = sums.ids();
  const parts = Math.ceil(ids.length / MAX_PAIRS);
  const size = Math.ceil(ids.length / parts);
  const sections: Section[] = [];
  for (let part = 0; part < parts; part++) {
    sections.push(packSection(day, sums, ids.subarray(part * size, (part + 1) * size)));
    await yieldIfNeeded();
  }
  return sections;
}

/** The parts of a day that was split are larger than what is put together, so each has a row of its own. */
function rowsOf(sections: Section[]): Section[][] {
  const rows: Section[][] = [];
  let room = 0;
  for (const section of sections) {
    if (section.pairs.length > room) {
      rows.push([]);
      room = ROW_BYTES;
    }
    rows.at(-1)!.push(section);
    room -= section.pairs.length;
  }
  return rows;
}
