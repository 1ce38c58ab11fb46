import { yieldIfNeeded } from '../../common/yield-if-needed';
import { DamagedDay } from '../damaged-hits';
import { partName, storedParts, trusted } from '../hit-chunks';
import type { Reading } from '../hits-in-columns';
import { Part } from '../part';
import { ALL_KINDS, type EncodedPart, STRUCTURE } from '../part-format';
import { PartTexts } from '../part-texts';
import { WebsiteTexts } from '../text-codes';
import { HitSums } from './hit-sums';

/** What was written of a day is not what was read. The day stays as it was. */
export class SealingDiffers extends DamagedDay {
  constructor(websiteId: number, day: number, sum: string) {
    super(websiteId, day, `the sum of ${sum} in its columns`);
  }
}

/** A day that was written and is not named yet, alone in its parts. */
export interface WrittenParts {
  websiteId: number;
  day: number;
  chunk: number;
  parts: number;
}

/** The sums of what is stored in some parts, all of which has to be there. */
export async function sumsOfParts(
  read: Reading,
  { websiteId, day, chunk, parts }: WrittenParts,
): Promise<HitSums> {
  const sums = new HitSums();
  for (let part = 0; part < parts; part++) {
    const key = { websiteId, chunk, part };
    const stored = await read((reader) => storedParts(reader, websiteId, [key], ALL_KINDS));
    sums.addAll(await sumsOfPart(trusted(stored.get(partName(key)), ALL_KINDS, key, day), day));
  }
  return sums;
}

/** The sums of a part that has hits of one day. */
export async function sumsOfPart(columns: EncodedPart, day: number): Promise<HitSums> {
  const texts = new WebsiteTexts(Infinity);
  const part = new Part(new Map([[STRUCTURE, columns.get(STRUCTURE)!]]), new PartTexts(texts));
  for (const column of columns) {
    part.add(new Map([column]));
    await yieldIfNeeded();
  }
  const stretch = part.stretch([day]);
  const sums = new HitSums();
  sums.addVisitorsOf(stretch, texts);
  await yieldIfNeeded();
  sums.addHitsOf(stretch, texts);
  await yieldIfNeeded();
  return sums;
}
