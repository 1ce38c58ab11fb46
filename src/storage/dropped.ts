/** Why an event is not counted, by the words of the header `Milepost-Dropped`. */
export type DropReason = 'bot' | 'ip' | 'origin' | 'opt-out';

const LABELS: Record<DropReason, string> = {
  bot: 'Bot',
  ip: 'Excluded address',
  origin: 'Foreign origin',
  'opt-out': 'Asked not to be tracked',
};

export function dropLabel(reason: string): string {
  return Object.hasOwn(LABELS, reason) ? LABELS[reason as DropReason] : reason;
}

/** How many events of a day were dropped for a reason. */
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
