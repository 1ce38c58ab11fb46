import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { type Codes, type FewCodes, joined, packedCodes } from '../../hits/codes/code-list';
import { websiteCodes } from '../../hits/codes/column-codes';
import { COLUMN_NAMES, type ColumnName, kindOf, TIMES } from '../../hits/hit-columns';
import { encodedNumbers, Numbers } from '../../hits/codes/leb128';
import { DEFLATE_LEVELS, packNumbers, unpackedNumbers } from '../../hits/codes/packed-numbers';
import { encodeTexts, storedTexts } from './part-texts';
import type { HitBlock, BlockDay } from '../../hits/hit-block';
import { NOT_SET, type WebsiteTexts } from '../../hits/codes/text-codes';

/**
 * The hits of one or more days as columns, each written by itself, so that a query reads those that it needs. Of
 * days with very many hits a part has some of the visitors, each with all hits of the day. There are no hashes of
 * visitors. `packed-numbers.ts` says how lists of numbers are written, `part-texts.ts` how columns of texts are.
 *
 *     structure   0 and the number of the last column, unless that is 35; how many days; for each of them the day, its first moment in seconds since 1970, and how many
 *                 visitors and hits follow; a list of how many hits each visitor has besides one; a list:
 *                 whether each visitor is known; one: whether it came without a referrer first
 *     times       how many seconds after the first moment of its day each hit was: the low 16 bits, and the others;
 *                 where an event is passive, a list: whether each hit is one
 */
/** Exceeded only if one visitor has more. */
export const HITS_OF_PART = 256 * 1024;
/** A smaller part is one row, unless its texts are long. */
const HITS_OF_ROW = 1000;
/** In memory. */
const TEXT_BYTES_OF_ROW = 96 * 1024;
export const STRUCTURE = 1;
const NAME_OF = new Map(COLUMN_NAMES.map((name) => [kindOf(name), name]));
/** The numbers of all columns. The first one is needed to read the others. */
export const ALL_KINDS: readonly number[] = [...new Set([STRUCTURE, TIMES, ...NAME_OF.keys()])];

/** The last column of parts that do not say which one it is. */
const LAST_OF_FORMER = 35;
const LAST_KIND = Math.max(...ALL_KINDS);
/** A column without texts. Its lists are as long for any number of hits. */
const NO_TEXTS = storedTexts([], new Uint8Array(1), 1);

type Numbered = Codes | FewCodes;

export interface Structure {
  days: BlockDay[];
  visitors: number;
  hits: number;
  /** By visitor: the number of hits besides one, whether the visitor is known, whether the first hit had no referrer. */
  furtherHits: Numbered;
  isKnown: Numbered;
  /** A packed list. Few queries need it, and inflating it takes longer than reading everything else. */
  direct: Buffer;
}

/** The seconds of each hit after the first moment of its day: the low 16 bits, and the bits above. */
export interface Times {
  low: Numbered;
  high: Numbered;
  /** One for each passive event. Undefined without such an event. */
  passive: Numbered | undefined;
}

/** The bytes of each column, by number. */
export type EncodedPart = Map<number, Buffer>;

/** Tells whether parts of former releases do not have a column. */
export function isLate(kind: number): boolean {
  return kind > LAST_OF_FORMER;
}

/** Adds the columns that a part of a former release does not have, by the end of its structure. */
export function addLateColumns(part: EncodedPart, kinds: readonly number[]): void {
  const structure = part.get(STRUCTURE);
  if (!structure) return;
  const last = lastKindIn(new Numbers(structure));
  for (const kind of kinds) if (kind > last) part.set(kind, NO_TEXTS);
}

function lastKindIn(numbers: Numbers): number {
  if (numbers.next() === 0) return numbers.next();
  numbers.at = 0;
  return LAST_OF_FORMER;
}

/** The name of the column that is stored under a number. */
export function columnOf(kind: number): ColumnName {
  return NAME_OF.get(kind)!;
}

export async function encodePart(blocks: HitBlock[], texts: WebsiteTexts): Promise<EncodedPart> {
  const part: EncodedPart = new Map();
  const level = levelFor(sumOf(blocks.map(({ hits }) => hits)), texts);
  for (const kind of ALL_KINDS) {
    await yieldIfNeeded();
    part.set(kind, await encodeColumn(kind, blocks, texts, level));
  }
  return part;
}

/** The columns of a small part are deflated together as one row, because each is too short alone. */
export function levelFor(hits: number, texts?: WebsiteTexts): number {
  const isRow = hits < HITS_OF_ROW && (!texts || texts.bytes < TEXT_BYTES_OF_ROW);
  return isRow ? DEFLATE_LEVELS.together : DEFLATE_LEVELS.each;
}

/** Encodes one column of blocks, whose days are in order. Blocks of the same day are joined. */
export function encodeColumn(
  kind: number,
  blocks: HitBlock[],
  texts: WebsiteTexts,
  level: number,
): Promise<Buffer> {
  if (kind === STRUCTURE) return encodeStructure(blocks, level);
  if (kind === TIMES) return encodeTimes(blocks, level);
  return encodeTexts(blocks, columnOf(kind), texts.of[columnOf(kind)].texts, level);
}

async function encodeStructure(blocks: HitBlock[], level: number): Promise<Buffer> {
  const heads = headsOf(blocks);
  const visitors = sumOf(heads.map((head) => head.visitors));
  const lists = [
    joined(blocks.map(({ begins, visitors }) => furtherHits(begins, visitors))),
    joined(blocks.map(({ isKnown }) => isKnown)),
    joined(blocks.map(({ isDirect }) => isDirect)),
  ];
  const packed = await Promise.all(lists.map((list) => packNumbers(packedCodes(list), visitors, level)));
  const numbers = heads.flatMap(({ day, begin, visitors, hits }) => [day, begin, visitors, hits]);
  return Buffer.concat([encodedNumbers([0, LAST_KIND, heads.length, ...numbers]), ...packed]);
}

type Head = Pick<BlockDay, 'day' | 'begin' | 'visitors' | 'hits'>;

function headsOf(blocks: HitBlock[]): Head[] {
  const heads = new Map<number, Head>();
  for (const { day, begin, visitors, hits } of blocks.flatMap(({ days }) => days)) {
    const known = heads.get(day) ?? { begin, visitors: 0, hits: 0 };
    heads.set(day, {
      day,
      begin: Math.min(known.begin, begin),
      visitors: known.visitors + visitors,
      hits: known.hits + hits,
    });
  }
  return [...heads.values()];
}

function furtherHits(begins: Uint32Array, visitors: number): Uint32Array {
  const further = new Uint32Array(visitors);
  for (let visitor = 0; visitor < visitors; visitor++)
    further[visitor] = begins[visitor + 1]! - begins[visitor]! - 1;
  return further;
}

export function decodedStructure(bytes: Buffer): Structure {
  const numbers = new Numbers(bytes);
  lastKindIn(numbers);
  const days: BlockDay[] = [];
  let [firstVisitor, firstHit] = [0, 0];
  for (let left = numbers.next(); left > 0; left--) {
    const [day, begin, visitors, hits] = [numbers.next(), numbers.next(), numbers.next(), numbers.next()];
    days.push({ day, begin, firstVisitor, firstHit, visitors, hits });
    firstVisitor += visitors;
    firstHit += hits;
  }
  const next = () => unpackedNumbers(numbers, firstVisitor);
  const [furtherHits, isKnown] = [next(), next()];
  const direct = bytes.subarray(numbers.at);
  return { days, visitors: firstVisitor, hits: firstHit, furtherHits, isKnown, direct };
}

/** Tells whether the first hit of each visitor had no referrer. */
export function directIn({ direct, visitors }: Structure): Numbered {
  return unpackedNumbers(new Numbers(direct), visitors);
}

/** Writes the first hit of each visitor, and the number of hits at the end. */
export function writeBegins(begins: Uint32Array, furtherHits: Codes): void {
  let begin = (begins[0] = 0);
  for (let visitor = 0; visitor < furtherHits.length; visitor++)
    begins[visitor + 1] = begin += 1 + furtherHits[visitor]!;
}

async function encodeTimes(blocks: HitBlock[], level: number): Promise<Buffer> {
  const beginOf = new Map(headsOf(blocks).map(({ day, begin }) => [day, begin]));
  const length = sumOf(blocks.map(({ hits }) => hits));
  const [low, high] = [new Uint16Array(length), new Uint16Array(length)];
  let place = 0;
  for (const { days, at } of blocks)
    for (const { day, firstHit, hits } of days) {
      const begin = beginOf.get(day)!;
      for (let hit = firstHit; hit < firstHit + hits; hit++) {
        low[place] = at[hit]! - begin;
        high[place++] = (at[hit]! - begin) >>> 16;
      }
    }
  await yieldIfNeeded();
  const passive = marksOfPassive(blocks);
  return Buffer.concat([
    await packNumbers(low, length, level),
    await packNumbers(packedCodes(high), length, level),
    ...(passive ? [await packNumbers(packedCodes(passive), length, level)] : []),
  ]);
}

/** One for each passive event. Undefined without such an event. */
function marksOfPassive(blocks: HitBlock[]): Uint8Array | undefined {
  const lists = blocks.map(({ codes, hits }) => websiteCodes(codes.passive!, hits));
  if (lists.every((list) => list.every((code) => code === NOT_SET))) return undefined;
  return Uint8Array.from(joined(lists), (code) => Number(code !== NOT_SET));
}

export function decodedTimes(bytes: Buffer, hits: number): Times {
  const numbers = new Numbers(bytes);
  const next = () => unpackedNumbers(numbers, hits);
  return { low: next(), high: next(), passive: numbers.at < bytes.length ? next() : undefined };
}

function sumOf(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
