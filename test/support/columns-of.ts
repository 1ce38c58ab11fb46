import type { Hit } from '../../engine/hits/hit';
import type { HitColumns } from '../../engine/columns/batches/batch';
import { BatchBuilder } from '../../engine/columns/batches/batch-builder';
import { DayBuilder } from '../../engine/columns/segments/day-builder';
import { Part } from '../../engine/columns/segments/part';
import { encodePart } from '../../engine/columns/segments/part-format';
import { PartTexts } from '../../engine/columns/segments/part-texts';
import type { WebsiteTexts } from '../../engine/hits/codes/text-codes';
import type { HitBlock } from '../../engine/hits/hit-block';

/** Hits in the memory format of a batch. */
export function columnsOf(hits: readonly Hit[]): HitColumns {
  const builder = new BatchBuilder();
  builder.add(hits);
  return builder.columns();
}

/** The hits of a day while it is open. */
export function openBlock(hits: readonly Hit[], texts: WebsiteTexts): HitBlock {
  const builder = new DayBuilder(hits[0]!.day, texts);
  builder.add(columnsOf(hits));
  return builder.columns();
}

/** The part in which blocks of days are sealed. Its codes are those of other texts, if they are given. */
export async function sealedPart(blocks: HitBlock[], texts: WebsiteTexts, own = texts): Promise<Part> {
  return new Part(await encodePart(blocks, texts), new PartTexts(own));
}
