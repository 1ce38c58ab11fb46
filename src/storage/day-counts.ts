import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';
import { changedBy, insertRows, type Queryable } from '../database/rows';
import { closedDays, raiseOpenVersion, raiseVersion } from './closed-days';
import { COUNTER_COLUMNS, COUNTER_KEY } from './counters';
import { applySegments, bytesOfSegments, type SegmentChange, SegmentsChanged } from './segment-rows';
import { changesOfDay, type CountsByName, NAME_CODES, packedOn } from './segment-store';
import { Sums } from './sums';

const ROWS_PER_READ = 10_000;
const MAX_REMOVED_ROWS = 10_000;

/** How much one piece of packing writes; at least one name, however large it is. */
export interface PieceLimits {
  rows: number;
  bytes: number;
}

/** What was prepared without a transaction, under the website's lease, to be written in one. */
export type Prepared = (manager: EntityManager) => Promise<void>;

/** What the counters of one day say, packed or not. */
export async function countsOn(reader: Queryable, websiteId: number, day: number): Promise<CountsByName> {
  const counts = await packedOn(reader, websiteId, day);
  for (const [name, { sums }] of await rowsOn(reader, websiteId, day)) addTo(counts, name, sums);
  return counts;
}

/** What the rows of one name and day say. */
export async function unpackedOn(
  reader: Queryable,
  websiteId: number,
  name: number,
  day: number,
): Promise<Sums> {
  return (await rowsOn(reader, websiteId, day)).get(name)?.sums ?? new Sums();
}

/** Moves rows of a day into its segments; where there are very many, some of them. */
export async function packedDay(
  reader: Queryable,
  websiteId: number,
  day: number,
  limits: PieceLimits,
): Promise<Prepared> {
  const { closedBefore, mergedBefore } = await closedDays(reader, websiteId);
  const rows = await rowsOn(reader, websiteId, day, limits.rows);
  const counts = new Map([...rows].map(([name, { sums }]) => [name, sums]));
  const { names, changes } = await firstChanges(
    changesOfDay(reader, websiteId, day, counts, mergedBefore),
    limits,
  );
  return async (manager) => {
    for (const name of names) await removeRows(manager, websiteId, day, name, rows.get(name)!);
    await applySegments(manager, changes);
    if (day >= closedBefore) await raiseOpenVersion(manager, websiteId);
  };
}

/** Takes out what was counted on one day, or a part of it. */
export async function removedCounts(
  { deleteSome }: Dialect,
  reader: Queryable,
  websiteId: number,
  day: number,
  limits: PieceLimits,
): Promise<Prepared> {
  const { mergedBefore } = await closedDays(reader, websiteId);
  const taken: CountsByName = new Map();
  for (const [name, sums] of await packedOn(reader, websiteId, day)) addTo(taken, name, sums, -1);
  const { changes } = await firstChanges(changesOfDay(reader, websiteId, day, taken, mergedBefore), limits);
  const condition = `website_id = ? AND name IN (${NAME_CODES}) AND day = ?`;
  const deletion = deleteSome('stat_counters', COUNTER_KEY, condition, MAX_REMOVED_ROWS);
  return async (manager) => {
    await manager.query(deletion, [websiteId, day]);
    await applySegments(manager, changes);
    await raiseVersion(manager, websiteId);
  };
}

/** Puts other counts in the place of those of a day. What is right already is not written. */
export async function replacedCounts(
  { addIfThere }: Dialect,
  reader: Queryable,
  websiteId: number,
  day: number,
  counts: CountsByName,
): Promise<Prepared> {
  const { closedBefore, mergedBefore } = await closedDays(reader, websiteId);
  const packed = await packedOn(reader, websiteId, day);
  const rows = await rowsOn(reader, websiteId, day);
  const packedChanges: CountsByName = new Map();
  const changed: number[][] = [];
  let removed = 0;
  for (const name of [...new Set([...counts.keys(), ...packed.keys(), ...rows.keys()])].sort(ascending)) {
    const own = rows.get(name)?.sums ?? new Sums();
    const wanted = counts.get(name) ?? new Sums();
    const { ofPacked, ofRows } = changesOf(wanted, packed.get(name) ?? new Sums(), own, day < closedBefore);
    if (ofPacked.ids().length > 0) packedChanges.set(name, ofPacked);
    for (const id of ofRows.ids()) changed.push([websiteId, name, day, id, ofRows.counts[id]!]);
    for (const id of own.ids()) if (own.counts[id]! + (ofRows.counts[id] ?? 0) === 0) removed++;
  }
  const changes: SegmentChange[] = [];
  for await (const ofName of changesOfDay(reader, websiteId, day, packedChanges, mergedBefore))
    changes.push(...ofName.changes);
  return async (manager) => {
    await applySegments(manager, changes);
    await insertRows(
      manager,
      'stat_counters',
      COUNTER_COLUMNS,
      changed,
      addIfThere('stat_counters', COUNTER_KEY, 'hits'),
    );
    const deletion = `DELETE FROM stat_counters WHERE website_id = ? AND name IN (${NAME_CODES}) AND day = ? AND hits = 0`;
    if ((await changedBy(manager, deletion, [websiteId, day])) !== removed) throw new SegmentsChanged();
    await raiseVersion(manager, websiteId);
  };
}

/** The counts of a closed day end up packed; those of an open one stay rows, where no packed count is too high. */
function changesOf(wanted: Sums, packed: Sums, rows: Sums, isClosed: boolean) {
  const ofPacked = new Sums();
  ofPacked.addAll(wanted);
  ofPacked.addAll(packed, -1);
  const ofRows = new Sums();
  ofRows.addAll(rows, -1);
  if (isClosed) return { ofPacked, ofRows };
  for (let id = 0; id < ofPacked.counts.length; id++) {
    const change = ofPacked.counts[id]!;
    if (change <= 0) continue;
    ofRows.add(id, change);
    ofPacked.counts[id] = 0;
  }
  return { ofPacked, ofRows };
}

/** The changes of the first names, as many as fit one piece. */
async function firstChanges(
  changesByName: ReturnType<typeof changesOfDay>,
  { bytes: maxBytes }: PieceLimits,
): Promise<{ names: number[]; changes: SegmentChange[] }> {
  const names: number[] = [];
  const changes: SegmentChange[] = [];
  for await (const ofName of changesByName) {
    names.push(ofName.name);
    changes.push(...ofName.changes);
    if (bytesOfSegments(changes) >= maxBytes) break;
  }
  return { names, changes };
}

interface RowsOfName {
  sums: Sums;
  rows: number;
  lastId: number;
}

async function rowsOn(
  reader: Queryable,
  websiteId: number,
  day: number,
  maxRows = Infinity,
): Promise<Map<number, RowsOfName>> {
  const found = new Map<number, RowsOfName>();
  let after = { name: -1, value_id: 0 };
  for (let left = maxRows, more = true; more && left > 0;) {
    const limit = Math.min(left, ROWS_PER_READ);
    const rows = await reader.query<{ name: number; value_id: number; hits: number | string }[]>(
      `SELECT name, value_id, hits FROM stat_counters
      WHERE website_id = ? AND name IN (${NAME_CODES}) AND day = ? AND (name > ? OR (name = ? AND value_id > ?))
      ORDER BY name, value_id LIMIT ${limit}`,
      [websiteId, day, after.name, after.name, after.value_id],
    );
    for (const { name, value_id, hits } of rows) {
      const own = found.get(name) ?? { sums: new Sums(), rows: 0, lastId: 0 };
      found.set(name, own);
      own.sums.add(value_id, Number(hits));
      own.rows++;
      own.lastId = value_id;
    }
    left -= rows.length;
    more = rows.length === limit;
    after = rows.at(-1) ?? after;
  }
  return found;
}

async function removeRows(
  manager: EntityManager,
  websiteId: number,
  day: number,
  name: number,
  { rows, lastId }: RowsOfName,
): Promise<void> {
  const removed = await changedBy(
    manager,
    'DELETE FROM stat_counters WHERE website_id = ? AND name = ? AND day = ? AND value_id <= ?',
    [websiteId, name, day, lastId],
  );
  if (removed !== rows) throw new SegmentsChanged();
}

function addTo(counts: CountsByName, name: number, sums: Sums, times = 1): void {
  const own = counts.get(name) ?? new Sums();
  own.addAll(sums, times);
  counts.set(name, own);
}

function ascending(one: number, other: number): number {
  return one - other;
}
