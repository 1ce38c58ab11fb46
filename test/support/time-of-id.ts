/** Times in the ids of events are rounded. */
export const ROUNDED_MS = 4096;

/** The rounded time at the beginning of a UUID of version 7. */
export function timeOfId(id: string): number {
  return parseInt(id.replace('-', '').slice(0, 9), 16) * ROUNDED_MS;
}
