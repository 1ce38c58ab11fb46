import { unpacked } from './code-list';
import type { DayColumns } from './day-columns';
import type { Hit } from './hit';
import { COLUMN_NAMES, COLUMNS } from './hit-columns';
import { NOT_SET, type WebsiteTexts } from './text-codes';

export interface ColumnHit {
  /** The place of its visitor in the columns. */
  visitor: number;
  isKnown: boolean;
  hit: Hit;
}

/**
 * The hits of columns of a day in which all columns are, without their visitors' hashes, which are gone. Of each visitor
 * the first one agrees with how the visitor came, and the others are in the order of time. What stands once for a visitor
 * is that of each of its hits.
 */
export function* hitsOfColumns(columns: DayColumns, texts: WebsiteTexts): Generator<ColumnHit> {
  const { visitors, begins, isKnown } = columns;
  const hitAt = reader(columns, texts);
  const firstOf = firsts(columns);
  for (let visitor = 0; visitor < visitors; visitor++) {
    const first = firstOf(visitor);
    const told = { visitor, isKnown: isKnown[visitor] === 1 };
    yield { ...told, hit: hitAt(first, visitor) };
    for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++)
      if (hit !== first) yield { ...told, hit: hitAt(hit, visitor) };
  }
}

function reader(columns: DayColumns, texts: WebsiteTexts): (hit: number, visitor: number) => Hit {
  const { day, visitors, hits, at } = columns;
  const all = COLUMN_NAMES.map((name) => {
    const { of, field } = COLUMNS[name];
    const isOfHit = of === 'hit';
    const codes = unpacked(columns.codes[name]!, isOfHit ? hits : visitors);
    return { isOfHit, codes, field, textOf: texts.of[name].texts };
  });
  return (hit, visitor) => {
    const fields: Partial<Hit> = { at: at[hit]!, day, visitor: '' };
    for (const { isOfHit, codes, field, textOf } of all)
      Object.assign(fields, field(textOf[codes[isOfHit ? hit : visitor]!]!));
    return fields as Hit;
  };
}

/** Which of a visitor's hits brought a referrer, or none, as the first one that was accepted did. */
function firsts({ isDirect, begins, codes, hits }: DayColumns): (visitor: number) => number {
  const referrer = unpacked(codes.referrer!, hits);
  return (visitor) => {
    const isNone = isDirect[visitor] === 1;
    let hit = begins[visitor]!;
    while ((referrer[hit] === NOT_SET) !== isNone) hit++;
    return hit;
  };
}
