import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Malformed } from './problem';

/** What a caller knows of a version, against the tag of the one that is there: true where it may be changed. */
export type Precondition = (tag: string) => boolean;

/** A strong tag (RFC 9110, section 8.8.3): the same of equal representations in every process. */
export function entityTagOf(representation: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(representation)).digest('base64url');
  return `"${hash.slice(0, 22)}"`;
}

/** Whether the caller has got this version already; a header that cannot be read only costs sending it again. */
export function isKnown({ 'if-none-match': header }: IncomingHttpHeaders, tag: string): boolean {
  const known = header === undefined ? [] : (tagsOf(header) ?? []);
  return known.some((item) => item === '*' || item.replace(/^W\//, '') === tag);
}

export function preconditionOf(headers: IncomingHttpHeaders): Precondition {
  const header = headers['if-match'];
  const wanted = header === undefined ? ['*'] : tagsOf(header);
  if (!wanted)
    throw new Malformed('If-Match must be * or a list of tags as they stand in ETag, quotes included.');
  return (tag) => (wanted.includes('*') || wanted.includes(tag)) && !isKnown(headers, tag);
}

const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/gy;

/** `*` or a list of tags, which may hold commas and have empty places between them. */
function tagsOf(header: string): string[] | undefined {
  if (header.trim() === '*') return ['*'];
  const elements = [...header.matchAll(ELEMENT)];
  const isWhole = elements.map(([text]) => text).join('') === header;
  const tags = elements.flatMap(([, tag]) => tag ?? []);
  return isWhole && tags.length > 0 ? tags : undefined;
}
