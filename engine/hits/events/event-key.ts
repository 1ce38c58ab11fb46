const NONE = 0;
const SOURCES = { browser: 1, server: 2 } as const;

/**
 * The author of an event's id. Anybody can send as a browser, so browser ids never match those of the owner's server.
 */
export type IdSource = keyof typeof SOURCES;

const EVENT_KEY_BYTES = 17;
/** How long an event's id is remembered, so that a retry is safe. */
export const EVENT_ID_LIVES_MS = 48 * 3_600_000;
/** Ids expire in steps of this length. */
export const ID_STEP_MS = 600_000;
export const EVENT_ID_COLUMNS = ['website_id', 'event_id', 'batch', 'accepted_at'];

/** The key of an event's id, a UUID: a byte for the source, then the 16 bytes of the UUID. */
export function eventKey(source: IdSource, id: string): Buffer {
  const key = Buffer.alloc(EVENT_KEY_BYTES);
  writeKey(key, 0, source, id);
  return key;
}

/** The keys of several events in one buffer. Null if no event has an id. */
export function joinEventKeys(source: IdSource, ids: (string | null)[]): Buffer | null {
  if (ids.every((id) => id === null)) return null;
  const keys = Buffer.alloc(EVENT_KEY_BYTES * ids.length);
  ids.forEach((id, index) => {
    if (id !== null) writeKey(keys, index * EVENT_KEY_BYTES, source, id);
  });
  return keys;
}

/** The key of one of several events as a text, which takes far less memory than a buffer. Undefined if it has no id. */
export function eventKeyAt(keys: Buffer, index: number): string | undefined {
  const from = index * EVENT_KEY_BYTES;
  return keys[from] === NONE ? undefined : keys.toString('latin1', from, from + EVENT_KEY_BYTES);
}

/** The order of these texts is that of the keys. */
export function textOfKey(key: Buffer): string {
  return key.toString('latin1');
}

export function keyOfText(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function writeKey(target: Buffer, at: number, source: IdSource, id: string): void {
  target[at] = SOURCES[source];
  target.write(id.replaceAll('-', ''), at + 1, 'hex');
}
