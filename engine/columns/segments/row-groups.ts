import { slicedCodes } from '../../hits/codes/code-list';
import type { ColumnCodes } from '../../hits/codes/column-codes';
import { type ColumnName, COLUMNS } from '../../hits/hit-columns';
import { leastOf, type HitBlock } from '../../hits/hit-block';

/** Divides the hits of a day into pieces of limited size. A visitor with more hits is a piece alone. */
export function* rowGroups(day: HitBlock, maxHits: number): Generator<HitBlock> {
  const { begins, visitors, hits } = day;
  if (hits <= maxHits) {
    yield day;
    return;
  }
  for (let from = 0; from < visitors;) {
    let before = from + 1;
    while (before < visitors && begins[before + 1]! - begins[from]! <= maxHits) before++;
    yield ofVisitors(day, from, before);
    from = before;
  }
}

function ofVisitors({ days, begins, isKnown, isDirect, at, codes }: HitBlock, from: number, before: number) {
  const [first, end] = [begins[from]!, begins[before]!];
  const own: Partial<Record<ColumnName, ColumnCodes>> = {};
  for (const [name, { rows, codeOf }] of Object.entries(codes) as [ColumnName, ColumnCodes][])
    own[name] =
      COLUMNS[name].of === 'hit'
        ? { rows: slicedCodes(rows, first, end), codeOf }
        : { rows: slicedCodes(rows, from, before), codeOf };
  const moments = at.subarray(first, end);
  const sizes = { visitors: before - from, hits: end - first };
  return {
    ...sizes,
    days: [{ ...days[0]!, ...sizes, begin: leastOf(moments), firstVisitor: 0, firstHit: 0 }],
    begins: begins.subarray(from, before + 1).map((begin) => begin - first),
    isKnown: isKnown.subarray(from, before),
    isDirect: isDirect.subarray(from, before),
    at: moments,
    codes: own,
  } satisfies HitBlock;
}
