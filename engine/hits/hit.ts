import { FIELD_NAMES, FIELDS, type FieldValues } from './fields';

/** An accepted event. Nothing in it leads back to an address or a user agent. */
export interface Hit extends FieldValues {
  /** Seconds since 1970. */
  at: number;
  /** The day that it counts for, as days since 1970 in the time zone of the service at acceptance. */
  day: number;
  /** The visitor of this day and website, as base64url. Empty if the hit arrived after the salt was removed. */
  visitor: string;
}

/** The fields in the order of stored rows. A row has no names of fields, and no trailing nulls. */
const PLACES: { key: keyof Hit; none: unknown }[] = [
  { key: 'at', none: 0 },
  { key: 'day', none: 0 },
  { key: 'visitor', none: '' },
  ...FIELD_NAMES.map((name) => FIELDS[name]).sort((one, other) => one.place - other.place),
];

/** All hits have one shape. */
export const NO_HIT = Object.fromEntries(PLACES.map(({ key, none }) => [key, none])) as unknown as Hit;

export function encodeHits(hits: Hit[]): Buffer {
  return joinHits(hits.map(encodeHit));
}

export function encodeHit(hit: Hit): string {
  return JSON.stringify(rowOf(hit));
}

/** Joins hits that were encoded one by one. The result is the same as that of `encodeHits`. */
export function joinHits(encoded: readonly string[]): Buffer {
  return Buffer.from(`[${encoded.join(',')}]`);
}

export function decodeHits(bytes: Buffer): Hit[] {
  try {
    return (JSON.parse(bytes.toString()) as unknown[][]).map(hitOf);
  } catch {
    throw new UnreadableHits();
  }
}

/** Unlike the error of JSON.parse, it quotes nothing that a visitor sent. */
export class UnreadableHits extends Error {
  override name = 'UnreadableHits';
}

function rowOf(hit: Hit): unknown[] {
  const fields = fieldsOf(hit);
  return fields.slice(0, fields.findLastIndex((field) => field !== null) + 1);
}

/** Written out field by field from the declaration: access by computed keys takes half as long again. */
const fieldsOf = compiled<(hit: Hit) => unknown[]>(
  'hit',
  `[${PLACES.map(({ key, none }) => (none === false ? `hit.${key} || null` : `hit.${key}`)).join()}]`,
);
const hitOf = compiled<(row: unknown[]) => Hit>(
  'row',
  `({ ${PLACES.map(({ key, none }, place) => `${key}: row[${place}] ?? ${JSON.stringify(none)}`).join()} })`,
);

function compiled<F>(parameter: string, expression: string): F {
  // Nothing but keys and defaults of the declaration is in the text.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  return new Function(parameter, `return ${expression};`) as F;
}
