import type { Dialect } from '../../database/dialect';
import type { Insertion, Queryable } from '../../database/rows';
import type { Span } from '../calendar';

/** Why an event is not counted, in the words of the header `Milepost-Dropped`. */
export const DROP_REASONS = {
  bot: { label: 'Bot', explanation: null },
  ip: { label: 'Excluded address', explanation: 'an excluded address' },
  origin: { label: 'Foreign origin', explanation: 'a page that may not send for the website' },
  'opt-out': { label: 'Asked not to be tracked', explanation: null },
} as const satisfies Record<string, { label: string; explanation: string | null }>;

export type DropReason = keyof typeof DROP_REASONS;

export function dropLabel(reason: string): string {
  return Object.hasOwn(DROP_REASONS, reason) ? DROP_REASONS[reason as DropReason].label : reason;
}

/** The number of events of a day that a rule dropped. */
export interface DroppedCount {
  day: number;
  reason: DropReason;
  count: number;
}

export interface DroppedOfWebsite extends DroppedCount {
  websiteId: number;
}

export function encodeDropped(counts: DroppedCount[]): Buffer {
  return Buffer.from(JSON.stringify(counts.map(({ day, reason, count }) => [day, reason, count])));
}

export function decodeDropped(bytes: Buffer): DroppedCount[] {
  const rows = JSON.parse(bytes.toString()) as [number, DropReason, number][];
  return rows.map(([day, reason, count]) => ({ day, reason, count }));
}

/** The dropped events of the days of a range. */
export async function readDroppedCounts(
  reader: Queryable,
  websiteId: number,
  { from, to }: Span,
): Promise<{ reason: string; count: number }[]> {
  const rows = await reader.query<{ reason: string; count: number | string }[]>(
    `SELECT reason, SUM(count) AS count FROM dropped_events
    WHERE website_id = ? AND day BETWEEN ? AND ? GROUP BY reason`,
    [websiteId, from, to],
  );
  return rows.map(({ reason, count }) => ({ reason, count: Number(count) }));
}

/** The dropped events of each day by reason, the latest day first. */
export async function readDroppedOfDays(
  reader: Queryable,
  websiteId: number,
  { from, to }: Span,
): Promise<{ day: number; reason: string; count: number }[]> {
  const rows = await reader.query<{ day: number; reason: string; count: number | string }[]>(
    `SELECT day, reason, count FROM dropped_events
    WHERE website_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, reason`,
    [websiteId, from, to],
  );
  return rows.map(({ day, reason, count }) => ({ day, reason, count: Number(count) }));
}

/** Adds to the count of each day and reason. */
export function droppedInsertion(
  { addIfThere }: Dialect,
  websiteId: number,
  dropped: readonly DroppedCount[],
): Insertion {
  const counts = new Map<string, [number, string, number]>();
  for (const { day, reason, count } of dropped) {
    const key = `${day} ${reason}`;
    counts.set(key, [day, reason, count + (counts.get(key)?.[2] ?? 0)]);
  }
  return {
    table: 'dropped_events',
    columns: ['website_id', 'day', 'reason', 'count'],
    rows: Array.from(counts.values(), (row) => [websiteId, ...row]),
    ending: addIfThere('dropped_events', 'website_id, day, reason', 'count'),
  };
}
