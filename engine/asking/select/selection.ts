import type { Codes } from '../../hits/codes/code-list';
import { NOT_SET } from '../../hits/codes/text-codes';
import { type BucketName, type Buckets, isOfDay } from '../../questions/plan/buckets';
import { type Check, WorkSteps } from '../../ground/deadline-check';
import type { BlockView } from './block-view';
import { isOfVisitors } from '../../questions/plan/values-from-columns';
import type { Condition, Filter } from '../../questions/parse/filter';
import { passingOne } from '../../questions/filter-operators';
import type { FilterMemory } from '../memory/filter-memory';
import { type QueryName, originOf } from '../../questions/parse/names';
import { mapped, mappedFew } from './row-masks';
import { ALL_MATCH, inBoth, inEither, noneMatch, notIn, type Matches, visitorsOf } from './matching-rows';

type TextOf = (code: number) => string | null;
/** A list for some rows. */
type ListFor = (rows: number) => Uint8Array;

const newList: ListFor = (rows) => new Uint8Array(rows);
/** The lists of a filter with few tests stay until the end of a block. */
const FEW_TESTS = 2;

/** Finds the rows of a block that match a filter. Results for values are reused for further blocks. */
export class Selection {
  private readonly passing = new Map<Condition, Passing>();
  /** The number of lists that exist at the same time. */
  private readonly lists: number;
  private readonly hasFewTests: boolean;

  constructor(
    private readonly filter: Filter,
    private readonly bucketsOf: (name: QueryName) => Buckets,
    private readonly check: Check,
    private readonly memory: FilterMemory,
  ) {
    this.lists = listsFor(filter);
    this.hasFewTests = testsIn(filter) <= FEW_TESTS;
  }

  of(view: BlockView): Matches {
    const { hits } = view.block;
    view.reserve(this.hasFewTests ? hits : this.lists * hits);
    // The view counts the lists that it makes itself.
    if (this.hasFewTests) view.borrow((this.lists - 1) * hits);
    return this.evaluated(this.filter, view, this.hasFewTests ? (rows) => view.bytesFor(rows) : newList);
  }

  /** The rows that match a part of the filter. Their memory is not taken. */
  evaluated(filter: Filter, view: BlockView, listFor: ListFor = newList): Matches {
    const matching = (of: Filter) => this.evaluated(of, view, listFor);
    switch (filter.kind) {
      case 'test':
        return this.tested(filter, view, listFor);
      case 'days':
        return { visitors: visitorsOfDays(filter, view) };
      case 'not':
        return notIn(matching(filter.of), view);
      case 'ever':
        return { visitors: visitorsOf(matching(filter.of), view) };
      case 'all':
        return filter.of.reduce((all, one) => inBoth(all, matching(one)), ALL_MATCH);
      case 'any':
        return filter.of.reduce((any, one) => inEither(any, matching(one), view), noneMatch(view));
    }
  }

  private tested(condition: Condition, view: BlockView, listFor: ListFor): Matches {
    this.check();
    const origin = originOf(condition.name);
    if (origin.level === 'moment') return this.testedMoments(condition, origin.bucket, view);
    const { values } = origin;
    const texts = view.values.of(values);
    const none =
      origin.level === 'acquisition' && origin.none !== undefined ? texts.codeOf(origin.none) : NOT_SET;
    const passing = this.passingOf(condition);
    // After the codes are known, because they may add texts.
    const passes = () => passing.upTo(texts.texts.length, (code) => texts.texts[code]!);
    switch (origin.level) {
      case 'visit': {
        const codes = view.ofVisits(values, origin.which);
        return { hits: hitsOfVisits(mapped(codes, passes()), view) };
      }
      case 'acquisition': {
        const codes = view.codes(values);
        return { visitors: acquisition(view, codes, passes(), none, view.directFor(values, none)) };
      }
      default: {
        const { rows, codeOf, size } = view.packedCodes(values);
        const ofTexts = passes();
        const table = codeOf ? passing.ofOwn(codeOf) : ofTexts;
        const list = listFor(size);
        const matches = 'positions' in rows ? mappedFew(rows, table, list) : mapped(rows, table, list);
        return isOfVisitors(values) ? { visitors: matches } : { hits: matches };
      }
    }
  }

  private testedMoments(condition: Condition, name: BucketName, view: BlockView): Matches {
    const buckets = this.bucketsOf(condition.name);
    const passes = this.passingOf(condition).upTo(buckets.size, (index) => buckets.valueOf(index));
    return isOfDay(name)
      ? { visitors: mapped(view.bucketsOfVisitors(buckets), passes) }
      : { hits: mapped(view.bucketsOfHits(buckets), passes) };
  }

  private passingOf(condition: Condition): Passing {
    let passing = this.passing.get(condition);
    if (!passing) this.passing.set(condition, (passing = new Passing(condition, this.check, this.memory)));
    return passing;
  }
}

/** Two, and one for each level of the filter that waits for another list. */
function listsFor(filter: Filter): number {
  if (!('of' in filter)) return 2;
  if (!Array.isArray(filter.of)) return listsFor(filter.of);
  return 1 + Math.max(0, ...filter.of.map(listsFor));
}

function testsIn(filter: Filter): number {
  if (!('of' in filter)) return 1;
  return [filter.of].flat().reduce((sum, one) => sum + testsIn(one), 0);
}

/** The codes that pass a condition. */
class Passing {
  private readonly passes: (text: string | null) => boolean;
  private table = new Uint8Array(0);
  /** The result for the numbers of the current part. */
  private own: { codeOf: Codes; table: Uint8Array } | undefined;
  private largestOwn = 0;
  private readonly work: WorkSteps;

  constructor(
    { test, values }: Condition,
    check: Check,
    private readonly memory: FilterMemory,
  ) {
    this.work = new WorkSteps(check);
    if (test === 'is') {
      const wanted = new Set(values);
      this.passes = (text) => wanted.has(text);
    } else {
      const passes = passingOne(test, values, (units) => this.work.take(units));
      this.passes = (text) => text !== null && passes(text);
    }
  }

  upTo(size: number, textOf: TextOf): Uint8Array {
    const known = this.table.length;
    if (known >= size) return this.table;
    this.memory.take(size - known);
    const table = new Uint8Array(size);
    table.set(this.table);
    for (let code = known; code < size; code++) {
      this.work.take();
      table[code] = Number(this.passes(textOf(code)));
    }
    return (this.table = table);
  }

  /** Call it after all of these codes were checked. */
  ofOwn(codeOf: Codes): Uint8Array {
    if (this.own?.codeOf === codeOf) return this.own.table;
    this.memory.take(Math.max(0, codeOf.length - this.largestOwn));
    this.largestOwn = Math.max(codeOf.length, this.largestOwn);
    this.own = { codeOf, table: mapped(codeOf, this.table) };
    return this.own.table;
  }
}

function visitorsOfDays(
  { from, to }: Extract<Filter, { kind: 'days' }>,
  { block: { days, visitors: size } }: BlockView,
): Uint8Array {
  const list = new Uint8Array(size);
  for (const { day, firstVisitor, visitors } of days)
    if (day >= from && day <= (to ?? day)) list.fill(1, firstVisitor, firstVisitor + visitors);
  return list;
}

function hitsOfVisits(matches: Uint8Array, { block: { hits }, visits: { begins } }: BlockView): Uint8Array {
  const ofHits = new Uint8Array(hits);
  for (let visit = 0; visit < matches.length; visit++)
    if (matches[visit] === 1) ofHits.fill(1, begins[visit], begins[visit + 1]);
  return ofHits;
}

/** A visitor matches if one of their values does. */
function acquisition(
  { block: { begins, visitors } }: BlockView,
  codes: Codes,
  passes: Uint8Array,
  none: number,
  direct: Uint8Array | undefined,
): Uint8Array {
  const matches = new Uint8Array(visitors);
  for (let visitor = 0; visitor < visitors; visitor++) {
    let isSet = direct?.[visitor] === 1;
    let passesOne = isSet && passes[none] === 1;
    for (let hit = begins[visitor]!; !passesOne && hit < begins[visitor + 1]!; hit++) {
      const code = codes[hit]!;
      if (code === NOT_SET) continue;
      isSet = true;
      passesOne = passes[code] === 1;
    }
    matches[visitor] = Number(passesOne || (!isSet && passes[NOT_SET] === 1));
  }
  return matches;
}
