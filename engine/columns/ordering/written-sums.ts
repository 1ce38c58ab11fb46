import type { Reading } from '../../database/rows';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { DamagedDay } from '../damaged-hits';
import { partName, readParts, expectColumns } from '../segments/hit-segments';
import { Part } from '../segments/part';
import { TIMES } from '../../hits/hit-columns';
import { ALL_KINDS, columnOf, type EncodedPart, HITS_OF_PART, STRUCTURE } from '../segments/part-format';
import { PartTexts } from '../segments/part-texts';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { HitSums } from './hit-sums';

/** The written hits of a day differ from the read hits. The day stays unchanged. */
export class SealingDiffers extends DamagedDay {
  constructor(websiteId: number, day: number, sum: string) {
    super(websiteId, day, `the sum of ${sum} in its columns`);
  }
}

/** A day that is written but not named yet. Its parts have no other day. */
interface WrittenParts {
  websiteId: number;
  day: number;
  segment: number;
  parts: number;
}

/** The sums of the hits in some parts. Throws if one is missing. */
export async function sumParts(
  read: Reading,
  { websiteId, day, segment, parts }: WrittenParts,
  pause = yieldIfNeeded,
): Promise<HitSums> {
  const sums = new HitSums();
  for (let part = 0; part < parts; part++) {
    const key = { websiteId, segment, part };
    const columns = async (kinds: readonly number[]) => {
      const stored = await read((reader) => readParts(reader, websiteId, [key], kinds));
      return expectColumns(stored.get(partName(key)), kinds, key, day);
    };
    sums.addAll(await sumPart(columns, [day], pause));
  }
  return sums;
}

/** The sums of a part with hits of some days. A large part is read column by column. */
export async function sumPart(
  columns: (kinds: readonly number[]) => EncodedPart | Promise<EncodedPart>,
  days: readonly number[],
  pause = yieldIfNeeded,
): Promise<HitSums> {
  const texts = new WebsiteTexts(Infinity);
  // A small part has all columns in one row.
  const first = await columns([STRUCTURE, TIMES]);
  const structure = new Map([STRUCTURE, TIMES].map((kind) => [kind, first.get(kind)!]));
  const part = new Part(structure, new PartTexts(texts));
  const sums = new HitSums();
  for (const day of days) {
    sums.addStructureOf(part.block([day]));
    sums.addColumnOf(part.block([day]), columnOf(TIMES), texts);
    await pause();
  }
  const kinds = ALL_KINDS.filter((kind) => kind !== STRUCTURE && kind !== TIMES);
  const areFew = days.reduce((sum, day) => sum + part.hitsOf(day), 0) <= HITS_OF_PART;
  for (const some of areFew ? [kinds] : kinds.map((kind) => [kind])) {
    const stored = await columns(some);
    for (const kind of some) {
      part.add(new Map([[kind, stored.get(kind)!]]));
      for (const day of days) {
        sums.addColumnOf(part.block([day]), columnOf(kind), texts);
        await pause();
      }
      part.remove(kind);
    }
  }
  return sums;
}
