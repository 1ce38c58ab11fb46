import { crc32 } from 'node:zlib';
import { dayText } from '../../ground/time/days';
import { DamagedRollups } from '../damaged-hits';
import { statNameWithCode } from '../../hits/stat-names';
import { encodedNumbers, MAX_NUMBER_BYTES, Numbers, writeNumber } from '../../hits/codes/leb128';
import type { Sums } from '../../hits/sums';

/**
 * A rollup: how often each value of each name was counted on a website in a span, which is a day, or a month under its
 * first day. Values are codes: those of the website's text table, or days since 1970 where the values of a name are days.
 *
 * A rollup is one or more rows of `rollups` under one number. The bytes of a row:
 *
 *     1 byte      the version of this format
 *     4 bytes     the CRC-32 of the row's key, as text, and of all that follows; little endian
 *     …           a directory in the row of `ALL_NAMES`; a section in every other one
 *
 * Each rollup has one directory, with an entry for each name that anything was counted for:
 *
 *     name        its code
 *     parts       in how many rows of their own its sections are; 0 where its only section follows
 *     bytes       how many bytes that section has, or these rows together
 *     section     where it follows
 *
 * A section has the counts of some codes:
 *
 *     last code   the largest one
 *     pairs       how far each code is from the one before it, the first one from 0, and its count
 *
 * Numbers are unsigned LEB128: seven bits a byte, the lowest first, the eighth set on all bytes but the last.
 */
const VERSION = 1;
const HEADER_BYTES = 5;
/** Stored instead of a name. */
export const ALL_NAMES = 0;
/** A directory holds the smallest sections, up to this size. */
export const MAX_DIRECTORY_BYTES = 8 * 1024;
/** A row fits a packet of 1 MiB, even in hexadecimal digits. */
export const MAX_ROLLUP_BYTES = 256 * 1024;
const MAX_PAIRS = 70_000;
/** The maximum size of an entry without its section. */
const MAX_ENTRY_BYTES = 3 * MAX_NUMBER_BYTES;

export const SPANS = { day: 1, month: 2 } as const;
/** Stored instead of a span: the hits of the day are damaged, and expire without a rollup. */
export const GIVEN_UP = 3;
/** Stored instead of a span: visitors of the day were forgotten before its hits were sealed. */
export const FORGOTTEN = 4;

export interface RollupKey {
  websiteId: number;
  /** One of `SPANS`. */
  span: number;
  /** The day, or the first day of the month. */
  day: number;
  /** The number in the website. It is never reused. */
  number: number;
}

/** A row of `rollups`. */
export interface RollupRow {
  websiteId: number;
  number: number;
  /** The code of the name, or `ALL_NAMES`. */
  name: number;
  part: number;
  data: Buffer;
}

/** Counts by code, as the bytes of a row. */
export interface Section {
  lastCode: number;
  pairs: Buffer;
}

/** The entry of a name in a directory. */
export interface DirectoryEntry {
  /** The code of the name. */
  name: number;
  parts: number;
  bytes: number;
  /** Undefined if the name has rows of its own. */
  section: Section | undefined;
}

export class DamagedRollup extends DamagedRollups {
  constructor(
    readonly key: RollupKey,
    name: number,
    part: number,
  ) {
    super(`The rollup of ${wordingOf(key, name)} is damaged (website ${key.websiteId}, part ${part}).`);
  }
}

/** Encodes a rollup, name by name. */
export class RollupBuilder {
  private readonly names: { name: number; sections: Buffer[] }[] = [];

  constructor(private readonly key: RollupKey) {}

  /** Adds the counts of a name, by its code. */
  add(name: number, sums: Sums): void {
    const sections = sectionsOf(sums);
    if (sections.length > 0) this.names.push({ name, sections });
  }

  rows(): RollupRow[] {
    const rows: RollupRow[] = [];
    const inDirectory = namesInDirectory(this.names);
    const entries: Buffer[] = [];
    for (const { name, sections } of [...this.names].sort((one, other) => one.name - other.name)) {
      if (inDirectory.has(name)) {
        entries.push(encodedNumbers([name, 0, sections[0]!.length]), sections[0]!);
        continue;
      }
      const own = sections.map((section, part) => rowOf(this.key, name, part, section));
      entries.push(encodedNumbers([name, own.length, own.reduce((sum, { data }) => sum + data.length, 0)]));
      rows.push(...own);
    }
    return [rowOf(this.key, ALL_NAMES, 0, Buffer.concat(entries)), ...rows];
  }
}

/** The entries of a rollup's directory. Throws if the row is damaged. */
export function entriesInDirectory(key: RollupKey, data: Buffer): DirectoryEntry[] {
  const content = contentOf(key, ALL_NAMES, 0, data);
  const entries: DirectoryEntry[] = [];
  const numbers = new Numbers(content);
  while (numbers.at < content.length) {
    const [name, parts, bytes] = [numbers.next(), numbers.next(), numbers.next()];
    entries.push({ name, parts, bytes, section: parts === 0 ? asSection(numbers.take(bytes)) : undefined });
  }
  return entries;
}

/** The section in a row of one name. Throws if the row is damaged. */
export function sectionIn(key: RollupKey, name: number, part: number, data: Buffer): Section {
  return asSection(contentOf(key, name, part, data));
}

export function addSection(sums: Sums, { lastCode, pairs }: Section): void {
  sums.makeRoom(lastCode);
  const { counts } = sums;
  const numbers = new Numbers(pairs);
  for (let code = 0, at = 0; at < pairs.length;) {
    // Most numbers take one byte.
    if (pairs[at]! <= 0x7f) code += pairs[at++]!;
    else {
      numbers.at = at;
      code += numbers.next();
      at = numbers.at;
    }
    if (pairs[at]! <= 0x7f) counts[code]! += pairs[at++]!;
    else {
      numbers.at = at;
      counts[code]! += numbers.next();
      at = numbers.at;
    }
  }
}

export function eachPair({ pairs }: Section, visit: (code: number, count: number) => void): void {
  const numbers = new Numbers(pairs);
  for (let code = 0; numbers.at < pairs.length;) {
    code += numbers.next();
    visit(code, numbers.next());
  }
}

/** All counts, in sections of limited size. */
export function sectionsOf(sums: Sums, maxBytes = MAX_ROLLUP_BYTES): Buffer[] {
  const codes = sums.codes();
  const sections: Buffer[] = [];
  const bytes = Buffer.allocUnsafe(
    Math.min(maxBytes, HEADER_BYTES + (1 + 2 * codes.length) * MAX_NUMBER_BYTES),
  );
  const room = bytes.length - HEADER_BYTES - 3 * MAX_NUMBER_BYTES;
  for (let index = 0; index < codes.length;) {
    let [end, code] = [0, 0];
    for (let pairs = 0; index < codes.length && pairs < MAX_PAIRS && end <= room; pairs++, index++) {
      const count = sums.counts[codes[index]!]!;
      if (count < 0) throw new RangeError(`the count of code ${codes[index]!} is below 0`);
      end = writeNumber(bytes, end, codes[index]! - code);
      end = writeNumber(bytes, end, count);
      code = codes[index]!;
    }
    sections.push(Buffer.concat([encodedNumbers([code]), bytes.subarray(0, end)]));
  }
  return sections;
}

/** The names whose sections the directory holds. */
function namesInDirectory(names: { name: number; sections: Buffer[] }[]): Set<number> {
  const held = new Set<number>();
  let left = MAX_DIRECTORY_BYTES - HEADER_BYTES - MAX_ENTRY_BYTES * names.length;
  const single = names.filter(({ sections }) => sections.length === 1);
  single.sort((one, other) => one.sections[0]!.length - other.sections[0]!.length);
  for (const { name, sections } of single) {
    left -= sections[0]!.length;
    if (left < 0) break;
    held.add(name);
  }
  return held;
}

function rowOf(key: RollupKey, name: number, part: number, content: Buffer): RollupRow {
  const data = Buffer.concat([Buffer.alloc(HEADER_BYTES), content]);
  data[0] = VERSION;
  data.writeUInt32LE(checksum(key, name, part, data.subarray(HEADER_BYTES)), 1);
  return { websiteId: key.websiteId, number: key.number, name, part, data };
}

function contentOf(key: RollupKey, name: number, part: number, data: Buffer): Buffer {
  const content = data.subarray(HEADER_BYTES);
  const isTrusted =
    data.length >= HEADER_BYTES &&
    data[0] === VERSION &&
    data.readUInt32LE(1) === checksum(key, name, part, content);
  if (!isTrusted) throw new DamagedRollup(key, name, part);
  return content;
}

export function asSection(bytes: Buffer): Section {
  const numbers = new Numbers(bytes);
  const lastCode = numbers.next();
  return { lastCode, pairs: bytes.subarray(numbers.at) };
}

/** It covers the span, so that a span cannot refer to the rollup of another span. */
function checksum(
  { websiteId, span, day, number }: RollupKey,
  name: number,
  part: number,
  bytes: Buffer,
): number {
  return crc32(bytes, crc32([websiteId, span, day, number, name, part].join(' ')));
}

function wordingOf({ span, day }: RollupKey, name: number): string {
  const what = name === ALL_NAMES ? 'all names' : statNameWithCode(name);
  return `${what} ${span === SPANS.month ? `in the month from ${dayText(day)}` : `on ${dayText(day)}`}`;
}
