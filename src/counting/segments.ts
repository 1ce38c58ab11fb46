import type { EntityManager } from 'typeorm';
import { Breaks } from '../common/breaks';
import { monthOf } from '../stats/cover';
import { DIMENSIONS, STAT_NAMES } from '../stats/dimensions';
import {
  addSection,
  encodeSegment,
  packSection,
  type Section,
  sectionsOf,
  type Segment,
  type SegmentKey,
  SPANS,
} from '../stats/segment';
import { Sums } from '../stats/sums';
import { raiseVersion } from './closed-days';
import { insertRows } from '../database/rows';

/** Counts by the code of their name. */
export type CountsByName = Map<number, Sums>;

export const NAME_CODES = STAT_NAMES.map((name) => DIMENSIONS[name].code).join(', ');

/** Days are put together in one row up to this size, so that small websites need few rows. */
const ROW_BYTES = 64 * 1024;
/** Keeps a row far below the size of a packet, which is 16 MiB where nobody set it. */
const MOST_PAIRS = 200_000;
const COLUMNS = ['website_id', 'name', 'span', 'day', 'part', 'last_day', 'data'];

/** Adds counts to what is packed of a day, and to the sum of its month where that is packed; negative ones take away. */
export async function addToDay(
  manager: EntityManager,
  websiteId: number,
  day: number,
  changes: CountsByName,
  mergedBefore: number,
): Promise<void> {
  const ofDay = await segmentsOn(manager, websiteId, day);
  const ofMonth = day < mergedBefore ? await sumsOfMonth(manager, websiteId, monthOf(day)) : [];
  for (const [name, sums] of changes) {
    const own = (segments: Segment[]) => segments.filter((segment) => segment.name === name);
    await replace(manager, { websiteId, name, span: SPANS.days }, own(ofDay), day, sums);
    if (day < mergedBefore)
      await replace(manager, { websiteId, name, span: SPANS.month }, own(ofMonth), monthOf(day), sums);
  }
}

/** What is packed of a day, by name. */
export async function packedOn(
  manager: EntityManager,
  websiteId: number,
  day: number,
): Promise<CountsByName> {
  const counts: CountsByName = new Map();
  for (const segment of await segmentsOn(manager, websiteId, day)) {
    const sums = counts.get(segment.name) ?? new Sums();
    counts.set(segment.name, sums);
    for (const section of sectionsOf(segment)) if (section.day === day) addSection(sums, section);
  }
  return counts;
}

/** Adds the days of a month up into its sum, and puts small days together in few rows. */
export async function mergeMonth(
  manager: EntityManager,
  websiteId: number,
  name: number,
  month: number,
): Promise<void> {
  const days = await daysOfMonth(manager, websiteId, name, month);
  const sections = days.flatMap(sectionsOf);
  const sums = new Sums();
  const breaks = new Breaks();
  for (const section of sections) {
    addSection(sums, section);
    await breaks.whenDue();
  }
  await rewrite(manager, { websiteId, name, span: SPANS.month }, [{ day: month }], split(month, sums));
  if (days.length > rowsOf(sections).length)
    await rewrite(manager, { websiteId, name, span: SPANS.days }, days, sections);
}

/** The same for all names. */
export async function mergeNames(manager: EntityManager, websiteId: number, month: number): Promise<void> {
  for (const name of STAT_NAMES) await mergeMonth(manager, websiteId, DIMENSIONS[name].code, month);
}

/** Takes out all that is packed of a month, which nobody has to be able to read for it. */
export async function dropMonth(manager: EntityManager, websiteId: number, month: number): Promise<void> {
  for (const span of Object.values(SPANS))
    await manager.query(
      `DELETE FROM stat_segments WHERE website_id = ? AND name IN (${NAME_CODES}) AND span = ? AND day BETWEEN ? AND ?`,
      [websiteId, span, month, monthOf(month, 1) - 1],
    );
  await raiseVersion(manager, websiteId);
}

export async function segmentAt(
  manager: EntityManager,
  { websiteId, name, span, day, part }: SegmentKey,
): Promise<Segment> {
  const condition = 'website_id = ? AND name = ? AND span = ? AND day = ? AND part = ?';
  const [segment] = await stored(manager, condition, [websiteId, name, span, day, part]);
  return segment!;
}

/** The difference between the sum of a month and its days, by id. */
export async function differenceOfMonth(
  manager: EntityManager,
  websiteId: number,
  name: number,
  month: number,
): Promise<Sums> {
  const difference = new Sums();
  const sum = (await sumsOfMonth(manager, websiteId, month)).filter((segment) => segment.name === name);
  for (const section of sum.flatMap(sectionsOf)) addSection(difference, section);
  const days = new Sums();
  for (const section of (await daysOfMonth(manager, websiteId, name, month)).flatMap(sectionsOf))
    addSection(days, section);
  difference.addAll(days, -1);
  return difference;
}

interface Group {
  websiteId: number;
  name: number;
  span: number;
}

async function replace(manager: EntityManager, group: Group, stored: Segment[], day: number, change: Sums) {
  const sections = stored.flatMap(sectionsOf);
  const sums = new Sums();
  for (const section of sections) if (section.day === day) addSection(sums, section);
  sums.addAll(change);
  const others = sections.filter((section) => section.day !== day);
  const all = [...others, ...split(day, sums)].sort((one, other) => one.day - other.day);
  await rewrite(manager, group, stored, all);
}

async function rewrite(manager: EntityManager, group: Group, stored: { day: number }[], sections: Section[]) {
  const { websiteId, name, span } = group;
  for (const day of new Set(stored.map((segment) => segment.day)))
    await manager.query(
      'DELETE FROM stat_segments WHERE website_id = ? AND name = ? AND span = ? AND day = ?',
      [websiteId, name, span, day],
    );
  const parts = new Map<number, number>();
  for (const row of rowsOf(sections)) {
    const { day } = row[0]!;
    const part = parts.get(day) ?? 0;
    parts.set(day, part + 1);
    const data = encodeSegment({ ...group, day, part }, row);
    await insertRows(manager, 'stat_segments', COLUMNS, [
      [websiteId, name, span, day, part, row.at(-1)!.day, data],
    ]);
  }
}

/** The counts of a day as one section, or as several of about the same size. */
function split(day: number, sums: Sums): Section[] {
  const ids = sums.ids();
  const parts = Math.ceil(ids.length / MOST_PAIRS);
  const size = Math.ceil(ids.length / parts);
  return Array.from({ length: parts }, (_, part) =>
    packSection(day, sums, ids.subarray(part * size, (part + 1) * size)),
  );
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

function segmentsOn(manager: EntityManager, websiteId: number, day: number): Promise<Segment[]> {
  return stored(
    manager,
    `website_id = ? AND name IN (${NAME_CODES}) AND span = ? AND day BETWEEN ? AND ? AND last_day >= ?`,
    [websiteId, SPANS.days, monthOf(day), day, day],
  );
}

function sumsOfMonth(manager: EntityManager, websiteId: number, month: number): Promise<Segment[]> {
  return stored(manager, `website_id = ? AND name IN (${NAME_CODES}) AND span = ? AND day = ?`, [
    websiteId,
    SPANS.month,
    month,
  ]);
}

function daysOfMonth(
  manager: EntityManager,
  websiteId: number,
  name: number,
  month: number,
): Promise<Segment[]> {
  return stored(manager, 'website_id = ? AND name = ? AND span = ? AND day BETWEEN ? AND ?', [
    websiteId,
    name,
    SPANS.days,
    month,
    monthOf(month, 1) - 1,
  ]);
}

async function stored(manager: EntityManager, condition: string, parameters: unknown[]): Promise<Segment[]> {
  const rows = await manager.query<(Omit<Segment, 'websiteId'> & { website_id: number })[]>(
    `SELECT website_id, name, span, day, part, data FROM stat_segments WHERE ${condition} ORDER BY name, day, part`,
    parameters,
  );
  return rows.map(({ website_id, ...row }) => ({ websiteId: Number(website_id), ...row }));
}
