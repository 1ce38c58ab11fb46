import type { EntityManager } from 'typeorm';
import { inPieces, type Queryable } from '../database/rows';
import { monthOf } from './calendar';
import { raiseVersion } from './closed-days';
import type { PieceLimits, Prepared } from './day-counts';
import { SPANS } from './segment-format';
import { deleteSegments, type SegmentSize, sizesOfSegments } from './segment-rows';
import { NAME_CODES } from './segment-store';

/** The lengths of so many segments are read for one piece. */
const MAX_KEYS = 64;

/**
 * Takes out a piece of what is packed of a month, which nobody has to be able to read for it. Sums go first, because a
 * month is found by its days.
 */
export async function removedMonth(
  reader: Queryable,
  websiteId: number,
  month: number,
  { rows, bytes: maxBytes }: PieceLimits,
): Promise<Prepared> {
  const condition = `name IN (${NAME_CODES}) AND span = ? AND day BETWEEN ? AND ?`;
  const ofSpan = (span: number) =>
    sizesOfSegments(reader, websiteId, condition, [span, month, monthOf(month, 1) - 1], MAX_KEYS);
  const sums = await ofSpan(SPANS.month);
  const sizes: SegmentSize[] = sums.length > 0 ? sums : await ofSpan(SPANS.days);
  const [piece = []] = inPieces(sizes, rows, maxBytes, ({ bytes }) => bytes);
  return async (manager: EntityManager) => {
    await deleteSegments(manager, piece);
    await raiseVersion(manager, websiteId);
  };
}
