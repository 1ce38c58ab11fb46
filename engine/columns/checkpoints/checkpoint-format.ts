import { crc32 } from 'node:zlib';
import { dayText } from '../../ground/time/days';
import type { Steps } from '../../ground/time/work-in-steps';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { DIMENSIONS, statNameWithCode } from '../../hits/stat-names';
import { encodedNumbers, Numbers } from '../../hits/codes/leb128';
import type { CountedDay } from '../rollups/counted-day';
import { TEXT_NAMES, type TextName } from '../rollups/counted-names';
import { DamagedRollups } from '../damaged-hits';
import { addSection, asSection, sectionsOf } from '../rollups/rollup-format';
import { limitedBit } from '../rollups/rollup-rows';

/**
 * A checkpoint: what some hits of a day that goes on add to the counts of all hits before them. The checkpoints of a day
 * follow one another from its first hit on, and never change. Texts have codes of the day, name by name, in the order in
 * which they come.
 *
 * A checkpoint is some rows of `checkpoints` and of `checkpoint_visitors`, whose pieces are numbered from 0. It is there
 * once its directory is, which is the first piece and is written last. The bytes of a row:
 *
 *     1 byte      the version of this format
 *     4 bytes     the CRC-32 of what follows and of the row's key, as text; little endian
 *     …           a directory, blocks, or hashes
 *
 * The directory has the numbers of pieces of both tables, the page views and visitors that are added, the names with
 * values that are counted as `(other)`, one bit for each, and how many values of a name are counted by themselves. The
 * further pieces of `checkpoints` have blocks: the code of a name, a kind, how many bytes follow, and these, which are
 *
 *     TEXTS       the code of the first of some new texts, their number, the length of each, and their bytes
 *     COUNTS      what is added to the counts of some codes, a section as in `rollup-format.ts`
 *
 * The pieces of `checkpoint_visitors` have 8 bytes for each visitor who was not on the day before, and for each that was
 * not there before with one of their values (`pair-hashes.ts`), in the order of their second halves and then of their
 * first ones. They are forgotten as the hashes of
 * batches are; a checkpoint without them is none any more.
 *
 * Numbers are unsigned LEB128, as in `rollup-format.ts`.
 */
const VERSION = 1;
const HEADER_BYTES = 5;
const TEXTS = 1;
const COUNTS = 2;
/** The hashes of a checkpoint are in small rows, because few are read. */
export const HASH_ROWS = { hashes: 2000 };
export const MAX_CHECKPOINT_BYTES = 256 * 1024;
export const MAX_HASHES_BYTES = HEADER_BYTES + VISITOR_BYTES * HASH_ROWS.hashes;
const MAX_BLOCK_BYTES = 64 * 1024;

export interface CheckpointKey {
  readonly websiteId: number;
  readonly day: number;
  readonly firstHit: number;
  /** How many hits it has. */
  readonly size: number;
}

/** What a directory says. */
export interface Checkpoint extends CheckpointKey {
  readonly pieces: number;
  readonly visitorPieces: number;
  readonly pageviews: number;
  readonly visitors: number;
  readonly limited: number;
  readonly maxValues: number;
}

/** A checkpoint is written with the texts before it, without their counts. */
export type PartOfPiece = 'all' | 'texts';

export type CheckpointTable = 'checkpoints' | 'checkpoint_visitors';

export interface CheckpointRow {
  readonly table: CheckpointTable;
  readonly piece: number;
  readonly data: Buffer;
}

export class DamagedCheckpoint extends DamagedRollups {
  constructor({ websiteId, day, firstHit }: CheckpointKey, piece: number) {
    super(
      `The checkpoint of ${dayText(day)} from hit ${firstHit} on is damaged (website ${websiteId}, piece ${piece}).`,
    );
  }
}

/** How far a day was counted: what comes then is a checkpoint. */
export interface CountedBefore {
  readonly pageviews: number;
  readonly visitors: number;
  /** The number of texts of each name. */
  readonly texts: ReadonlyMap<TextName, number>;
}

/** Call it when all counted hits are in checkpoints. The counts begin anew, so they become those of the next one. */
export function beginCheckpoint(counted: CountedDay): CountedBefore {
  counted.leaveToCheckpoints();
  const { pageviews, visitors } = counted;
  return {
    pageviews,
    visitors,
    texts: new Map(TEXT_NAMES.map((name) => [name, counted.of(name).texts.size])),
  };
}

/** The rows of a checkpoint; the directory is the last one. */
export function* rowsOfCheckpoint(
  key: CheckpointKey,
  before: CountedBefore,
  counted: CountedDay,
): Steps<CheckpointRow[]> {
  const visitors = yield* hashPieces(counted.newHashes());
  const pieces: Buffer[] = [];
  for (const name of TEXT_NAMES) yield* addBlocks(pieces, name, before.texts.get(name)!, counted);
  const directory = encodedNumbers([
    ...[pieces.length, visitors.length, counted.pageviews - before.pageviews],
    ...[counted.visitors - before.visitors, limitedBits(counted), counted.maxValues],
  ]);
  return [
    ...visitors.map((content, piece) => rowOf(key, 'checkpoint_visitors', piece, content)),
    ...pieces.map((content, index) => rowOf(key, 'checkpoints', index + 1, content)),
    rowOf(key, 'checkpoints', 0, directory),
  ];
}

export function directoryIn(key: CheckpointKey, data: Buffer): Checkpoint {
  const numbers = new Numbers(contentOf(key, 'checkpoints', 0, data));
  const [pieces, visitorPieces, pageviews] = [numbers.next(), numbers.next(), numbers.next()];
  const [visitors, limited, maxValues] = [numbers.next(), numbers.next(), numbers.next()];
  return { ...key, pieces, visitorPieces, pageviews, visitors, limited, maxValues };
}

/** Adds what a piece has to the counts of the hits before, or only its texts. */
export function addPiece(
  counted: CountedDay,
  key: CheckpointKey,
  piece: number,
  data: Buffer,
  what: PartOfPiece = 'all',
): void {
  const content = contentOf(key, 'checkpoints', piece, data);
  const numbers = new Numbers(content);
  while (numbers.at < content.length) {
    const { texts, sums } = counted.of(statNameWithCode(numbers.next()) as TextName);
    const [kind, block] = [numbers.next(), numbers.take(numbers.next())];
    if (kind === TEXTS) {
      const own = new Numbers(block);
      const [first, size] = [own.next(), own.next()];
      let end = 0;
      const ends = Array.from({ length: size }, () => (end += own.next()));
      if (first !== texts.size) throw new DamagedCheckpoint(key, piece);
      texts.addAll(block.subarray(own.at), ends);
    } else if (what === 'all') {
      const section = asSection(block);
      if (section.lastCode >= texts.size) throw new DamagedCheckpoint(key, piece);
      addSection(sums, section);
    }
  }
}

/** What remains to be added once all pieces of a checkpoint are. */
export function addDirectory(counted: CountedDay, own: Checkpoint): void {
  counted.hits += own.size;
  counted.inCheckpoints = counted.hits;
  counted.pageviews += own.pageviews;
  counted.visitors += own.visitors;
  for (const name of TEXT_NAMES) if ((own.limited & limitedBit(name)) !== 0) counted.limited.add(name);
}

export function hashesIn(key: CheckpointKey, piece: number, data: Buffer): Buffer {
  return contentOf(key, 'checkpoint_visitors', piece, data);
}

function limitedBits({ limited }: CountedDay): number {
  return [...limited].reduce((bits, name) => bits | limitedBit(name), 0);
}

/** Their order tells nothing of that of the hits. */
function* hashPieces(hashes: Buffer): Steps<Buffer[]> {
  yield;
  new BigUint64Array(hashes.buffer, hashes.byteOffset, hashes.length / VISITOR_BYTES).sort();
  yield;
  const bytes = VISITOR_BYTES * HASH_ROWS.hashes;
  const size = Math.ceil(hashes.length / bytes);
  return Array.from({ length: size }, (_, piece) => hashes.subarray(piece * bytes, (piece + 1) * bytes));
}

function* addBlocks(pieces: Buffer[], name: TextName, knownTexts: number, counted: CountedDay): Steps<void> {
  const add = (kind: number, content: Buffer) => {
    const block = Buffer.concat([encodedNumbers([DIMENSIONS[name].code, kind, content.length]), content]);
    const last = pieces.at(-1);
    const hasRoom = last && last.length + block.length <= MAX_CHECKPOINT_BYTES - HEADER_BYTES;
    if (hasRoom) pieces[pieces.length - 1] = Buffer.concat([last, block]);
    else pieces.push(block);
  };
  const { texts, sums } = counted.of(name);
  for (let code = knownTexts; code < texts.size;) {
    const numbers = [code, 0];
    const bytes: Buffer[] = [];
    for (let left = MAX_BLOCK_BYTES; code < texts.size && left > 0; code++) {
      bytes.push(texts.bytesOf(code));
      numbers.push(texts.lengthOf(code));
      left -= texts.lengthOf(code) + 1;
    }
    numbers[1] = bytes.length;
    add(TEXTS, Buffer.concat([encodedNumbers(numbers), ...bytes]));
    yield;
  }
  for (const section of sectionsOf(sums, MAX_BLOCK_BYTES)) add(COUNTS, section);
  yield;
}

function rowOf(key: CheckpointKey, table: CheckpointTable, piece: number, content: Buffer): CheckpointRow {
  const data = Buffer.concat([Buffer.alloc(HEADER_BYTES), content]);
  data[0] = VERSION;
  data.writeUInt32LE(checksum(key, table, piece, content), 1);
  return { table, piece, data };
}

function contentOf(key: CheckpointKey, table: CheckpointTable, piece: number, data: Buffer): Buffer {
  const content = data.subarray(HEADER_BYTES);
  const isTrusted =
    data.length >= HEADER_BYTES &&
    data[0] === VERSION &&
    data.readUInt32LE(1) === checksum(key, table, piece, content);
  if (!isTrusted) throw new DamagedCheckpoint(key, piece);
  return content;
}

function checksum(
  { websiteId, day, firstHit, size }: CheckpointKey,
  table: CheckpointTable,
  piece: number,
  content: Buffer,
): number {
  return crc32([table, websiteId, day, firstHit, size, piece].join(' '), crc32(content));
}
