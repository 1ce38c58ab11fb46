import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Malformed } from '../../common/problems';

/** A condition that a caller puts on an entity tag. */
export type Precondition = (tag: string) => boolean;

/** For a caller who has no version. */
export const HAS_NONE: Precondition = () => false;

/** A strong entity tag (RFC 9110, section 8.8.3): equal for equal representations, in every process. */
export function entityTagOf(representation: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(representation)).digest('base64url');
  return `"${hash.slice(0, 22)}"`;
}

/** The tag in a content coding: strong tags of equal versions in different codings differ (RFC 9110, section 8.8.3.3). */
export function tagInCoding(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}.${coding}"`;
}

/** The tag without its coding. A proxy that compresses answers makes tags weak, but these still name one version. */
function versionIn(tag: string): string {
  return strong(tag).replace(/\.[a-z]+"$/, '"');
}

function strong(tag: string): string {
  return tag.replace(/^W\//, '');
}

/**
 * The tag of this version in If-None-Match, in the coding that the caller has. Undefined without one. A malformed header
 * counts as absent, so the answer is sent in full.
 */
export function knownTag({ 'if-none-match': header }: IncomingHttpHeaders, tag: string): string | undefined {
  const known = header === undefined ? [] : (tagsOf(header) ?? []);
  const named = known.find((item) => item === '*' || versionIn(item) === tag);
  return named === '*' ? tag : named && strong(named);
}

/** Tells whether If-None-Match names this version. */
export function isKnown(headers: IncomingHttpHeaders, tag: string): boolean {
  return knownTag(headers, tag) !== undefined;
}

/** Tells whether If-Match and If-None-Match allow a change of the version with this tag, in whatever coding it was read. */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition {
  const header = headers['if-match'];
  const wanted = header === undefined ? ['*'] : tagsOf(header);
  if (!wanted) throw new Malformed('If-Match must be * or a list of entity tags, quotes included.');
  const isWanted = (tag: string) => wanted.some((item) => item === '*' || versionIn(item) === tag);
  return (tag) => isWanted(tag) && !isKnown(headers, tag);
}

/** Tells whether a version of a resource is the one that the caller means to change. */
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
