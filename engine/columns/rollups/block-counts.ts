import { type Codes, type FewCodes, unpacked } from '../../hits/codes/code-list';
import type { ColumnCodes } from '../../hits/codes/column-codes';
import type { ColumnName } from '../../hits/hit-columns';
import type { HitBlock } from '../../hits/hit-block';
import { Sums } from '../../hits/sums';
import { NOT_SET, type WebsiteTexts } from '../../hits/codes/text-codes';
import type { SelectedOfBlock } from '../../asking/select/block-selection';
import {
  type CountedName,
  HIT_NAMES,
  type NameOf,
  type TextName,
  VALUE_NAMES,
  valueOfNone,
} from './counted-names';

/** The columns that a name is counted from. */
export function columnsFor(name: CountedName): ColumnName[] {
  if (name === 'visitor') return [];
  if (name === 'pageview' || name === 'event') return ['event'];
  return name === 'page' ? ['page', 'event'] : [name];
}

/**
 * Adds the counts of a name in a block: by day, or by the website's code of each text. If hits are selected, visitors
 * with one of them count, with all of their values.
 */
export function addCountsOf(
  name: CountedName,
  whole: HitBlock,
  texts: WebsiteTexts,
  sums: Sums,
  selected?: SelectedOfBlock,
): void {
  const block = selected?.visitors ? withVisitors(whole, selected.visitors) : whole;
  const counted = selected?.hits;
  if (name === 'visitor') addVisitorsByDay(block, sums);
  else if (name === 'pageview') addPageviewsByDay(block, sums, counted);
  else if (isOneOf(HIT_NAMES, name)) addHits(name, block, sums, counted);
  else if (isOneOf(VALUE_NAMES, name)) addValues(name, block, texts, sums);
  else addVisitors(name, block, sums);
}

/** Not a copy, because columns that were not read must not be looked at. */
function withVisitors(block: HitBlock, visitors: Uint8Array): HitBlock {
  const isKnown = block.isKnown.map((known, visitor) => known & visitors[visitor]!);
  return Object.create(block, { isKnown: { value: isKnown } }) as HitBlock;
}

function isOneOf<N extends CountedName>(names: readonly N[], name: CountedName): name is N {
  return (names as readonly CountedName[]).includes(name);
}

function addVisitorsByDay({ days, isKnown }: HitBlock, sums: Sums): void {
  for (const { day, firstVisitor, visitors } of days) {
    let known = 0;
    for (let visitor = firstVisitor; visitor < firstVisitor + visitors; visitor++) known += isKnown[visitor]!;
    if (known > 0) sums.add(day, known);
  }
}

function addPageviewsByDay(block: HitBlock, sums: Sums, counted: Uint8Array | undefined): void {
  const events = eventsOf(block);
  for (const { day, firstHit, hits } of block.days) {
    let pageviews = hits;
    if (events ?? counted)
      for (let hit = firstHit; hit < firstHit + hits; hit++)
        if (counted?.[hit] === 0 || (events && events[hit] !== NOT_SET)) pageviews--;
    if (pageviews > 0) sums.add(day, pageviews);
  }
}

function addHits(name: NameOf['hits'], block: HitBlock, sums: Sums, counted: Uint8Array | undefined): void {
  const column = block.codes[name]!;
  const { rows } = column;
  const counts = countsFor(column);
  const events = name === 'page' ? eventsOf(block) : undefined;
  const codes = 'positions' in rows ? rows.codes : rows;
  for (let index = 0; index < codes.length; index++) {
    const hit = 'positions' in rows ? rows.positions[index]! : index;
    if (counted?.[hit] === 0) continue;
    if (!events || events[hit] === NOT_SET) counts[codes[index]!]!++;
  }
  addTranslated(column, counts, sums);
}

function addVisitors(name: TextName, { codes, isKnown, visitors }: HitBlock, sums: Sums): void {
  const column = codes[name]!;
  const counts = countsFor(column);
  const own = unpacked(column.rows, visitors);
  for (let visitor = 0; visitor < visitors; visitor++) if (isKnown[visitor] === 1) counts[own[visitor]!]!++;
  addTranslated(column, counts, sums);
}

function addValues(name: NameOf['values'], block: HitBlock, texts: WebsiteTexts, sums: Sums): void {
  const { codes, isKnown, isDirect, begins, visitors, hits } = block;
  const column = codes[name]!;
  const counts = countsFor(column);
  const own = unpacked(column.rows, hits);
  /** The last visitor, numbered from 1, with each value. */
  const lastVisitorOf = new Uint32Array(counts.length);
  for (let visitor = 0; visitor < visitors; visitor++) {
    if (isKnown[visitor] !== 1) continue;
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++) {
      const code = own[hit]!;
      if (code === NOT_SET || lastVisitorOf[code] === visitor + 1) continue;
      lastVisitorOf[code] = visitor + 1;
      counts[code]!++;
    }
  }
  addTranslated(column, counts, sums);
  const none = valueOfNone(name);
  if (none === undefined) return;
  let direct = 0;
  for (let visitor = 0; visitor < visitors; visitor++)
    if (isKnown[visitor] === 1 && isDirect[visitor] === 1) direct++;
  if (direct > 0) sums.add(texts.of[name].codeOf(none), direct);
}

/** The events among the hits. Undefined if all hits are page views. */
function eventsOf({ codes, hits }: HitBlock): Codes | undefined {
  const { rows } = codes.event!;
  return 'positions' in rows && rows.positions.length === 0 ? undefined : unpacked(rows, hits);
}

function countsFor({ rows, codeOf }: ColumnCodes): Uint32Array {
  return new Uint32Array(codeOf ? codeOf.length : largestOf(rows) + 1);
}

function largestOf(rows: Codes | FewCodes): number {
  const codes = 'positions' in rows ? rows.codes : rows;
  let largest = 0;
  for (let index = 0; index < codes.length; index++) if (codes[index]! > largest) largest = codes[index]!;
  return largest;
}

function addTranslated({ codeOf }: ColumnCodes, counts: Uint32Array, sums: Sums): void {
  for (let own = 1; own < counts.length; own++)
    if (counts[own] !== 0) sums.add(codeOf ? codeOf[own]! : own, counts[own]!);
}
