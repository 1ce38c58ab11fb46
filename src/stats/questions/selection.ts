import { foldCase } from '../../common/text';
import type { Codes } from '../../storage/code-list';
import { NOT_SET } from '../../storage/text-codes';
import type { Buckets } from './buckets';
import { type Check, checkBetween } from './check';
import type { DayView } from './day-view';
import type { Filter, Test } from './filter';
import { type AskedName, placeOf } from './names';

type Condition = Extract<Filter, { kind: 'test' }>;
type TextOf = (code: number) => string | null;

/** Says which hits of a day pass a filter; what is known of values is kept from day to day. */
export class Selection {
  private readonly passing = new Map<Condition, Passing>();

  constructor(
    private readonly filter: Filter,
    private readonly bucketsOf: (name: AskedName) => Buckets,
    private readonly check: Check,
  ) {}

  /** One for each hit that passes, else zero. */
  of(view: DayView): Uint8Array {
    return this.evaluated(this.filter, view);
  }

  private evaluated(filter: Filter, view: DayView): Uint8Array {
    if (filter.kind === 'test') return this.tested(filter, view);
    if (filter.kind === 'not') return negated(this.evaluated(filter.of, view));
    if (filter.kind === 'ever') return everOf(this.evaluated(filter.of, view), view);
    const isAll = filter.kind === 'all';
    const passed = new Uint8Array(view.columns.hits).fill(Number(isAll));
    for (const one of filter.of) {
      const other = this.evaluated(one, view);
      for (let hit = 0; hit < passed.length; hit++)
        passed[hit] = isAll ? passed[hit]! & other[hit]! : passed[hit]! | other[hit]!;
    }
    return passed;
  }

  private tested(condition: Condition, view: DayView): Uint8Array {
    this.check();
    const place = placeOf(condition.name);
    if (place.level === 'moment') {
      const buckets = this.bucketsOf(condition.name);
      const passes = this.passes(condition, buckets.size, (index) => buckets.valueOf(index));
      return mapped(momentsOf(buckets, view), passes);
    }
    const { values } = place;
    const codes = place.level === 'visit' ? view.ofVisits(values, place.which) : view.ofHits(values);
    const texts = view.values.of(values);
    const none = place.level === 'brought' && place.none !== undefined ? texts.codeOf(place.none) : NOT_SET;
    const passes = this.passes(condition, texts.texts.length, (code) => texts.texts[code]!);
    if (place.level !== 'brought') return mapped(codes, passes);
    return brought(view, codes, passes, none, none === NOT_SET ? undefined : view.direct(values));
  }

  private passes(condition: Condition, size: number, textOf: TextOf): Uint8Array {
    let passing = this.passing.get(condition);
    if (!passing) this.passing.set(condition, (passing = new Passing(condition, this.check)));
    return passing.upTo(size, textOf);
  }
}

/** The bucket of each hit. */
export function momentsOf(buckets: Buckets, { columns: { day, at } }: DayView): Uint32Array {
  const indices = new Uint32Array(at.length);
  for (let hit = 0; hit < at.length; hit++) indices[hit] = buckets.indexOf(day, at[hit]!);
  return indices;
}

const COMPARISONS: Record<Exclude<Test, 'is'>, (text: string, part: string) => boolean> = {
  contains: (text, part) => text.includes(part),
  starts: (text, part) => text.startsWith(part),
  ends: (text, part) => text.endsWith(part),
};

/** Which codes pass a condition. */
class Passing {
  private readonly passes: (text: string | null) => boolean;
  private table = new Uint8Array(0);
  private readonly count: () => void;

  constructor({ test, values }: Condition, check: Check) {
    const step = checkBetween(check);
    if (test === 'is') {
      const wanted = new Set(values);
      this.passes = (text) => wanted.has(text);
      this.count = () => step();
    } else {
      const compare = COMPARISONS[test];
      const parts = values.map((value) => foldCase(value ?? ''));
      this.passes = (text) => {
        if (text === null) return false;
        const folded = foldCase(text);
        return parts.some((part) => compare(folded, part));
      };
      this.count = () => step(parts.length);
    }
  }

  upTo(size: number, textOf: TextOf): Uint8Array {
    const known = this.table.length;
    if (known >= size) return this.table;
    const table = new Uint8Array(size);
    table.set(this.table);
    for (let code = known; code < size; code++) {
      this.count();
      table[code] = Number(this.passes(textOf(code)));
    }
    return (this.table = table);
  }
}

function mapped(codes: Codes, passes: Uint8Array): Uint8Array {
  const passed = new Uint8Array(codes.length);
  for (let hit = 0; hit < codes.length; hit++) passed[hit] = passes[codes[hit]!]!;
  return passed;
}

/** All hits of a visitor pass if one of the values that it brought does. */
function brought(
  { columns: { begins, visitors } }: DayView,
  codes: Codes,
  passes: Uint8Array,
  none: number,
  direct: Uint8Array | undefined,
): Uint8Array {
  const passed = new Uint8Array(codes.length);
  for (let visitor = 0; visitor < visitors; visitor++) {
    let isSet = direct?.[visitor] === 1;
    let passesOne = isSet && passes[none] === 1;
    for (let hit = begins[visitor]!; !passesOne && hit < begins[visitor + 1]!; hit++) {
      const code = codes[hit]!;
      if (code === NOT_SET) continue;
      isSet = true;
      passesOne = passes[code] === 1;
    }
    if (passesOne || (!isSet && passes[NOT_SET] === 1)) passed.fill(1, begins[visitor], begins[visitor + 1]);
  }
  return passed;
}

function everOf(passed: Uint8Array, { columns: { begins, visitors } }: DayView): Uint8Array {
  for (let visitor = 0; visitor < visitors; visitor++) {
    const own = passed.subarray(begins[visitor], begins[visitor + 1]);
    own.fill(own.includes(1) ? 1 : 0);
  }
  return passed;
}

function negated(passed: Uint8Array): Uint8Array {
  for (let hit = 0; hit < passed.length; hit++) passed[hit] = 1 - passed[hit]!;
  return passed;
}
