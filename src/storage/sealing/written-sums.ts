import { yieldIfNeeded } from '../../common/time/yield-if-needed';
import { DamagedDay } from '../damaged-hits';
import { partName, readParts, trusted } from '../segments/hit-segments';
import type { Reading } from '../segments/hits-in-columns';
import { Part } from '../segments/part';
import { ALL_KINDS, type EncodedPart, HITS_OF_PART, STRUCTURE, TIMES } from '../segments/part-format';
import { PartTexts } from '../segments/part-texts';
import { WebsiteTexts } from '../encoding/text-codes';
import { HitSums } from './hit-sums';

/** What was written of a day is not what was read. The day stays as it was. */
export class SealingDiffers extends DamagedDay {
  constructor(websiteId: number, day: number, sum: string) {
    super(websiteId, day, `the sum of ${sum} in its columns`);
  }
}

/** A day that was written and is not named yet, alone in its parts. */
interface WrittenParts {
  websiteId: number;
  day: number;
  segment: number;
  parts: number;
}

/** The sums of what is stored in some parts, all of which has to be there. */
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
      return trusted(stored.get(partName(key)), kinds, key, day);
    };
    sums.addAll(await sumPart(columns, day, pause));
  }
  return sums;
}

/** The sums of a part that has hits of one day. Of a large one a column at a time is in memory. */
export async function sumPart(
  columns: (kinds: readonly number[]) => EncodedPart | Promise<EncodedPart>,
  day: number,
  pause = yieldIfNeeded,
): Promise<HitSums> {
  const texts = new WebsiteTexts(Infinity);
  // Of a small part, all columns are in one row.
  const first = await columns([STRUCTURE, TIMES]);
  const structure = new Map([STRUCTURE, TIMES].map((kind) => [kind, first.get(kind)!]));
  const part = new Part(structure, new PartTexts(texts));
  const sums = new HitSums();
  sums.addStructureOf(part.block([day]));
  await pause();
  const kinds = ALL_KINDS.filter((kind) => kind !== STRUCTURE && kind !== TIMES);
  const areFew = part.hitsOf(day) <= HITS_OF_PART;
  for (const some of areFew ? [kinds] : kinds.map((kind) => [kind])) {
    const stored = await columns(some);
    for (const kind of some) {
      part.add(new Map([[kind, stored.get(kind)!]]));
      sums.addColumnsOf(part.block([day]), texts);
      part.remove(kind);
      await pause();
    }
  }
  return sums;
}
