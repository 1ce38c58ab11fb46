import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Malformed } from '../../common/problem';

/** A condition that a caller puts on an entity tag. */
export type Precondition = (tag: string) => boolean;

/** For a caller who has no version. */
export const HAS_NONE: Precondition = () => false;

/** A strong entity tag (RFC 9110, section 8.8.3): equal for equal representations, in every process. */
export function entityTagOf(representation: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(representation)).digest('base64url');
  return `"${hash.slice(0, 22)}"`;
}

/** Whether If-None-Match names this version. A malformed header counts as absent, so the answer is sent in full. */
export function isKnown({ 'if-none-match': header }: IncomingHttpHeaders, tag: string): boolean {
  const known = header === undefined ? [] : (tagsOf(header) ?? []);
  return known.some((item) => item === '*' || item.replace(/^W\//, '') === tag);
}

/** Whether If-Match and If-None-Match allow a change of the version with this tag. */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition {
  const header = headers['if-match'];
  const wanted = header === undefined ? ['*'] : tagsOf(header);
  if (!wanted) throw new Malformed('If-Match must be * or a list of entity tags, quotes included.');
  return (tag) => (wanted.includes('*') || wanted.includes(tag)) && !isKnown(headers, tag);
}

/** Whether a version of a resource is the one that the caller means to change. */
export function isExpectedBy(precondition: Precondition): (current: object) => boolean {
  return (current) => precondition(entityTagOf(current));
}

const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/gy;

/** `*`, or a list of tags; a tag may hold commas, and elements may be empty. */
function tagsOf(header: string): string[] | undefined {
  if (header.trim() === '*') return ['*'];
  const elements = [...header.matchAll(ELEMENT)];
  const isWhole = elements.map(([text]) => text).join('') === header;
  const tags = elements.flatMap(([, tag]) => tag ?? []);
  return isWhole && tags.length > 0 ? tags : undefined;
}
