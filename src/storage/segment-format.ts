import { crc32 } from 'node:zlib';
import { dayText } from '../common/days';
import { DamagedCounters } from './damaged-counters';
import { nameOf } from './dimensions';
import { MAX_NUMBER_BYTES, Numbers, writeNumber } from './leb128';
import type { Sums } from './sums';

/**
 * Closed days are kept packed. A segment is a row of `stat_segments`: the counts of one name on one website, either of
 * one or more days of a month, each by itself, or of a whole month together. Its bytes:
 *
 *     1 byte      the version of this format
 *     4 bytes     the CRC-32 of the segment's key, as text, and of all that follows; little endian
 *     sections    one for each day in their order; the sums of a month are one section under the month's first day:
 *       day         how many days after the first day of the segment
 *       last id     the largest id of the section
 *       bytes       how long the rest of the section is
 *       pairs       how far each id is from the one before it, the first one from 0, and its count
 *
 * Numbers are unsigned LEB128: seven bits a byte, the lowest first, the eighth set on all bytes but the last. Counts of
 * very many values are spread over several segments of the same day, told apart by `part`; readers add all up.
 */
const VERSION = 1;
const HEADER_BYTES = 5;

/** Whether a segment keeps days by themselves or a month in one sum; part of the key in the table. */
export const SPANS = { days: 1, month: 2 } as const;

export interface SegmentKey {
  websiteId: number;
  /** The code of the name. */
  name: number;
  span: number;
  /** The first day. */
  day: number;
  part: number;
}

export interface Segment extends SegmentKey {
  data: Buffer;
}

/** What a segment says of one day; its pairs are bytes of the segment as they stand there. */
export interface Section {
  day: number;
  lastId: number;
  pairs: Buffer;
}

export class DamagedSegment extends DamagedCounters {
  constructor(readonly segment: SegmentKey) {
    super(`The packed counters of ${wordingOf(segment)} are damaged.`);
  }
}

export function encodeSegment(key: SegmentKey, sections: Section[]): Buffer {
  const size = sections.reduce((sum, { pairs }) => sum + 3 * MAX_NUMBER_BYTES + pairs.length, HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let end = HEADER_BYTES;
  for (const { day, lastId, pairs } of sections) {
    end = writeNumber(bytes, end, day - key.day);
    end = writeNumber(bytes, end, lastId);
    end = writeNumber(bytes, end, pairs.length);
    end += pairs.copy(bytes, end);
  }
  bytes[0] = VERSION;
  bytes.writeUInt32LE(checksum(key, bytes.subarray(HEADER_BYTES, end)), 1);
  return bytes.subarray(0, end);
}

/** The sections of a segment, which is checked before anything in it is believed. */
export function sectionsOf(segment: Segment): Section[] {
  const { data } = segment;
  if (data.length < HEADER_BYTES || data[0] !== VERSION) throw new DamagedSegment(segment);
  if (data.readUInt32LE(1) !== checksum(segment, data.subarray(HEADER_BYTES)))
    throw new DamagedSegment(segment);
  const sections: Section[] = [];
  const numbers = new Numbers(data, HEADER_BYTES);
  while (numbers.at < data.length) {
    const day = segment.day + numbers.next();
    const lastId = numbers.next();
    const size = numbers.next();
    sections.push({ day, lastId, pairs: data.subarray(numbers.at, numbers.at + size) });
    numbers.at += size;
  }
  return sections;
}

/** Packs the counts of some ids; they have to be in their order. */
export function packSection(day: number, { counts }: Sums, ids: Uint32Array): Section {
  const pairs = Buffer.allocUnsafe(ids.length * 2 * MAX_NUMBER_BYTES);
  let end = 0;
  let lastId = 0;
  for (const id of ids) {
    end = writeNumber(pairs, end, id - lastId);
    if (counts[id]! < 0) throw new RangeError(`the count of value ${id} would fall below 0`);
    end = writeNumber(pairs, end, counts[id]!);
    lastId = id;
  }
  return { day, lastId, pairs: Buffer.from(pairs.subarray(0, end)) };
}

export function addSection(sums: Sums, { lastId, pairs }: Section): void {
  sums.makeRoom(lastId);
  const { counts } = sums;
  const numbers = new Numbers(pairs, 0);
  let id = 0;
  while (numbers.at < pairs.length) {
    id += numbers.next();
    counts[id]! += numbers.next();
  }
}

function checksum({ websiteId, name, span, day, part }: SegmentKey, bytes: Buffer): number {
  return crc32(bytes, crc32([websiteId, name, span, day, part].join(' ')));
}

function wordingOf({ websiteId, name, span, day, part }: SegmentKey): string {
  const when = span === SPANS.month ? `the month from ${dayText(day)}` : `the days from ${dayText(day)}`;
  return `${nameOf(name)} in ${when} (website ${websiteId}, part ${part})`;
}
