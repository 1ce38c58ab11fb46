import type { DeliveryEvent } from '../events';

export const MAX_BODY_BYTES = 64 * 1024;
/** The id, which the table assigns, is not in the stored text. */
const ID_BYTES = '"id":"9007199254740991",'.length;

/** Of a delivery that was refused: many of them must not fill the database. */
export const NO_BODY = '{}';

/** The website that a delivery is about. */
export interface AboutWebsite {
  id: number;
  domain: string;
}

/** The text of a delivery without its id. Throws if the content makes it too large. */
export function storedBody(
  event: DeliveryEvent,
  website: AboutWebsite | null,
  content: object,
  now: number,
): string {
  const about = website && { id: website.id, domain: website.domain };
  const text = JSON.stringify({ event, created_at: new Date(now).toISOString(), website: about, ...content });
  if (!fitsBody(text)) throw new RangeError(`a delivery has at most ${MAX_BODY_BYTES} bytes`);
  return text;
}

/** Tells whether a text without its id is short enough. */
export function fitsBody(stored: string): boolean {
  return Buffer.byteLength(stored) + ID_BYTES <= MAX_BODY_BYTES;
}

/** The text that is posted. */
export function postedBody(id: number, stored: string): string {
  return stored === NO_BODY ? `{"id":"${id}"}` : `{"id":"${id}",${stored.slice(1)}`;
}
