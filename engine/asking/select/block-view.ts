import { bytesOfCodes, type Codes, gathered, unpacked } from '../../hits/codes/code-list';
import { type ColumnCodes, websiteCodes } from '../../hits/codes/column-codes';
import { type ColumnName, COLUMNS } from '../../hits/hit-columns';
import { type Seconds, secondsOf, type HitBlock } from '../../hits/hit-block';
import { VISIT_PAUSE_S } from '../../hits/rules/visit-pause';
import { NOT_SET } from '../../hits/codes/text-codes';
import { type Buckets, setBucketsOfHits, setBucketsOfVisitors } from '../../questions/plan/buckets';
import { PeakMemory } from '../memory/peak-memory';
import { BlockLists } from './block-lists';
import { type Derived, isOfVisitors, valuesKey, type Values } from '../../questions/plan/values-from-columns';
import type { WebsiteValues } from './website-values';
import { placesOfOnes } from './row-masks';

/** So long before all hits of a day that the first hit begins a visit. */
const LONG_BEFORE_S = -VISIT_PAUSE_S - 1;
/** The memory of a block's hits and visitors besides the columns. */
const BYTES_OF_HIT = 16;

/**
 * Visits: consecutive hits of a visitor. A passive event belongs to the visit before it, however long ago that was. The
 * passive events before all other hits of a visitor have an entry of their own, which is not a visit.
 */
export interface Visits {
  readonly count: number;
  /** The first hit of each visit, and the number of hits at the end. */
  readonly begins: Uint32Array;
  /** The first visit of each visitor, and the number of visits at the end. */
  readonly ofVisitors: Uint32Array;
}

/** A number for each hit or visitor, and the code of each number. `codeOf` is undefined if the numbers are codes. */
export interface OwnCodes {
  readonly rows: Codes;
  readonly codeOf: Codes | undefined;
}

/** Values derived from the columns of a block for the queries of a request. Each is derived once. */
export class BlockView {
  private readonly derived = new Map<unknown, unknown>();
  /** The lists that `bytes` contains. Values share some of them. */
  private readonly lists: Set<unknown>;
  private bytes: number;

  constructor(
    readonly block: HitBlock,
    readonly values: WebsiteValues,
    private readonly memory = new PeakMemory(),
    /** They hold what is derived from the rows of a block, one block at a time. */
    private readonly rowLists = new BlockLists(memory),
  ) {
    rowLists.begin();
    const columns = Object.values(block.codes).map(({ rows }) => rows);
    this.lists = new Set(columns);
    this.bytes = columns.reduce((sum, rows) => sum + bytesOfCodes(rows), BYTES_OF_HIT * block.hits);
  }

  get visits(): Visits {
    return this.once('visits', () => this.visitsWhere(undefined));
  }

  /** The visits of some visitors. The hits of any other visitor are left as one visit, because they are not used. */
  visitsOf(visitors: Uint8Array | undefined): Visits {
    return visitors ? this.once(visitors, () => this.visitsWhere(visitors)) : this.visits;
  }

  /**
   * Finds the end of a visit, from its first hit or another one that is no passive event. `end` is that of the visitor.
   */
  get endOfVisit(): (hit: number, end: number) => number {
    const { low, high } = this.seconds;
    const { passive } = this;
    const isPassive = (hit: number) => passive !== undefined && passive[hit] !== NOT_SET;
    return (hit, end) => {
      let last = isPassive(hit) ? LONG_BEFORE_S : low[hit]! + (high[hit]! << 16);
      for (let next = hit + 1; next < end; next++) {
        if (isPassive(next)) continue;
        const moment = low[next]! + (high[next]! << 16);
        if (moment - last > VISIT_PAUSE_S) return next;
        last = moment;
      }
      return end;
    };
  }

  /** The seconds of each hit after the first moment of its day. */
  get seconds(): Seconds {
    return this.block.seconds ?? this.once('seconds', () => secondsOf(this.block));
  }

  /** One for each hit, or for each visitor. */
  codes(values: Values): Codes {
    return this.once(`codes ${valuesKey(values)}`, () =>
      typeof values === 'string'
        ? this.codesOf(values)
        : this.values.derive(
            values,
            values.from.map((own) => this.codes(own)),
          ),
    );
  }

  /** The stored numbers of a column, if possible: translating each row takes longer than a lookup. */
  ownCodes(values: Values): OwnCodes {
    return this.once(`own codes ${valuesKey(values)}`, () => {
      if (typeof values !== 'string') return this.ownCodesOf(values);
      const column = this.column(values);
      if (!column.codeOf) return { rows: this.codes(values), codeOf: undefined };
      return { rows: unpacked(column.rows, this.rowsOf(values)), codeOf: column.codeOf };
    });
  }

  /** The stored numbers as they are packed: one for each row, or those of few rows. `size` is the number of rows. */
  packedCodes(values: Values): ColumnCodes & { size: number } {
    const size = isOfVisitors(values) ? this.block.visitors : this.block.hits;
    const column = typeof values === 'string' ? this.column(values) : undefined;
    return { ...(column && 'positions' in column.rows ? column : this.ownCodes(values)), size };
  }

  /** The places of the events. */
  get events(): Uint32Array {
    return this.once('events', () => {
      const { rows } = this.column('event');
      if ('positions' in rows) return rows.positions;
      const events = this.numbers(rows.length);
      let count = 0;
      for (let hit = 0; hit < rows.length; hit++) if (rows[hit] !== NOT_SET) events[count++] = hit;
      return events.subarray(0, count);
    });
  }

  /** The visitor of each event. */
  get visitorOfEvents(): Uint32Array {
    return this.once('visitors of events', () => {
      const { events, block } = this;
      const { begins } = block;
      const visitors = this.numbers(events.length);
      for (let index = 0, visitor = 0; index < events.length; index++) {
        while (begins[visitor + 1]! <= events[index]!) visitor++;
        visitors[index] = visitor;
      }
      return visitors;
    });
  }

  /** One for a page view, zero for an event. */
  get pageviews(): Uint8Array {
    return this.once('pageviews', () => {
      const pageviews = this.bytesFor(this.block.hits).fill(1);
      for (const event of this.events) pageviews[event] = 0;
      return pageviews;
    });
  }

  /** The visitor of each hit. */
  get visitorOfHits(): Uint32Array {
    return this.once('visitors of hits', () => {
      const { begins, hits, visitors } = this.block;
      const ofHits = this.numbers(hits);
      for (let visitor = 0; visitor < visitors; visitor++)
        for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++) ofHits[hit] = visitor;
      return ofHits;
    });
  }

  /** A zero for each visitor. */
  get noCodes(): Uint8Array {
    return this.once('no codes', () => this.bytesFor(this.block.visitors));
  }

  /** Lists of zeros for `FewRows`. */
  get marks(): { hits: Uint8Array; visitors: Uint8Array } {
    const { hits, visitors } = this.block;
    return this.once('marks', () => ({ hits: this.bytesFor(hits), visitors: this.bytesFor(visitors) }));
  }

  /** Zero for a hit that is not a passive event. Undefined without such an event. */
  get passive(): Codes | undefined {
    const { rows } = this.column('passive');
    if ('positions' in rows && rows.positions.length === 0) return undefined;
    return this.once('passive', () => unpacked(rows, this.block.hits));
  }

  bucketsOfHits(buckets: Buckets): Codes {
    return this.once(buckets, () => {
      const indices = this.rowLists.codes(buckets.size, this.block.hits);
      setBucketsOfHits(indices, buckets, this.block, this.seconds);
      return indices;
    });
  }

  /** For buckets that have all hits of a day. */
  bucketsOfVisitors(buckets: Buckets): Codes {
    return this.once(buckets, () => {
      const indices = this.rowLists.codes(buckets.size, this.block.visitors);
      setBucketsOfVisitors(indices, buckets, this.block);
      return indices;
    });
  }

  /** The visitors who count for the value of none, if it is counted. */
  directFor(values: Values, none: number): Uint8Array | undefined {
    if (none === NOT_SET) return undefined;
    return values === 'referrer' ? this.block.isDirect : this.direct(values);
  }

  /** The value of the first or last page view of each visit. */
  ofVisits(values: Values, which: 'first' | 'last'): Codes {
    return this.once(`${which} ${valuesKey(values)}`, () => {
      const { count, begins } = this.visits;
      const { rows, codeOf } = this.ownCodes(values);
      const event = this.ownCodes('event').rows;
      const ofVisits = this.numbers(count);
      for (let visit = 0; visit < count; visit++) {
        const [first, end] = [begins[visit]!, begins[visit + 1]!];
        let hit = which === 'first' ? first : end - 1;
        const step = which === 'first' ? 1 : -1;
        while (hit >= first && hit < end && event[hit] !== NOT_SET) hit += step;
        if (hit < first || hit >= end) continue;
        const own = rows[hit]!;
        ofVisits[visit] = codeOf ? codeOf[own]! : own;
      }
      return ofVisits;
    });
  }

  /** The first value of each visit. */
  acquisitionOfVisits(values: Values, none: number): Codes {
    return this.once(`acquisition ${valuesKey(values)}`, () => {
      const { count, begins } = this.visits;
      const codes = this.codes(values);
      const ofVisits = this.numbers(count);
      for (let visit = 0; visit < count; visit++) {
        let hit = begins[visit]!;
        const end = begins[visit + 1]!;
        while (hit < end && codes[hit] === NOT_SET) hit++;
        ofVisits[visit] = hit < end ? codes[hit]! : none;
      }
      return ofVisits;
    });
  }

  /** Gives each hit the code of its visit. */
  hitsOfVisits(ofVisits: Codes): Codes {
    return this.once(ofVisits, () => {
      const { count, begins } = this.visits;
      const ofHits = this.numbers(this.block.hits);
      for (let visit = 0; visit < count; visit++)
        for (let hit = begins[visit]!, end = begins[visit + 1]!; hit < end; hit++)
          ofHits[hit] = ofVisits[visit]!;
      return ofHits;
    });
  }

  /**
   * The visitors who count as having no value at first: their first accepted hit had no referrer, and their earliest
   * hit without one had no other value either.
   */
  private direct(values: Values): Uint8Array {
    return this.once(`direct ${valuesKey(values)}`, () => {
      const { begins, visitors } = this.block;
      const [codes, referrers] = [this.codes(values), this.codes('referrer')];
      const direct = this.block.isDirect.slice();
      for (let visitor = 0; visitor < visitors; visitor++) {
        if (direct[visitor] === 0) continue;
        const end = begins[visitor + 1]!;
        let hit = begins[visitor]!;
        while (hit < end && referrers[hit] !== NOT_SET) hit++;
        if (codes[hit] !== NOT_SET) direct[visitor] = 0;
      }
      return direct;
    });
  }

  private visitsWhere(visitors: Uint8Array | undefined): Visits {
    const { endOfVisit } = this;
    const { begins: hitsOf, hits, visitors: size } = this.block;
    const begins = this.numbers(hits + 1);
    const ofVisitors = this.numbers(size + 1);
    let count = 0;
    for (let visitor = 0; visitor < size; visitor++) {
      const [first, end] = [hitsOf[visitor]!, hitsOf[visitor + 1]!];
      ofVisitors[visitor] = count;
      begins[count++] = first;
      if (visitors?.[visitor] === 0) continue;
      for (let hit = endOfVisit(first, end); hit < end; hit = endOfVisit(hit, end)) begins[count++] = hit;
    }
    begins[count] = hits;
    ofVisitors[size] = count;
    return { count, begins: begins.subarray(0, count + 1), ofVisitors };
  }

  /** The value under a key, derived on first use. */
  once<T>(key: unknown, derive: () => T): T {
    let known = this.derived.get(key) as T | undefined;
    if (known === undefined) {
      known = derive();
      this.derived.set(key, known);
      this.reserve(this.newBytesOf(known));
    }
    return known;
  }

  /** Zeros, one for each row of a kind. They are valid as long as the view. */
  numbers(rows: number): Uint32Array {
    return this.rowLists.numbers(rows);
  }

  /** Zeros in bytes, one for each row of a kind. They are valid as long as the view. */
  bytesFor(rows: number): Uint8Array {
    return this.rowLists.bytes(rows);
  }

  /** Takes memory that is free again before the next call. */
  borrow(bytes: number): void {
    this.memory.reserve(this.bytes + bytes);
  }

  /** Takes memory that stays as long as the view. */
  reserve(bytes: number): void {
    this.bytes += bytes;
    this.memory.reserve(this.bytes);
  }

  private newBytesOf(value: unknown): number {
    let bytes = 0;
    for (const list of ArrayBuffer.isView(value) ? [value] : Object.values(value as object)) {
      if (!ArrayBuffer.isView(list) || this.lists.has(list) || this.rowLists.has(list)) continue;
      this.lists.add(list);
      // A list may be the start of a longer one.
      bytes += list.buffer.byteLength;
    }
    return bytes;
  }

  /** With one source, its rows, so that each further value takes no memory for each hit. */
  private ownCodesOf(derived: Derived): OwnCodes {
    const [source, ...others] = derived.from;
    if (others.length > 0) return { rows: this.codes(derived), codeOf: undefined };
    const { rows, codeOf } = this.ownCodes(source!);
    const numbers = this.once(`numbers ${valuesKey(source!)}`, () => this.numbersOf(source!, rows));
    const derivedCodes = this.values.derive(derived, [codeOf ? gathered(codeOf, numbers) : numbers]);
    const byNumber = new Uint32Array((numbers.at(-1) ?? -1) + 1);
    for (let index = 0; index < numbers.length; index++) byNumber[numbers[index]!] = derivedCodes[index]!;
    return { rows, codeOf: byNumber };
  }

  /** The numbers that occur. A column of few codes has zero everywhere else. */
  private numbersOf(source: Values, rows: Codes): Uint32Array {
    const stored = typeof source === 'string' ? this.column(source).rows : rows;
    return 'positions' in stored ? distinctNumbers(stored.codes, true) : distinctNumbers(stored);
  }

  private codesOf(name: ColumnName): Codes {
    return websiteCodes(this.column(name), this.rowsOf(name));
  }

  private column(name: ColumnName): ColumnCodes {
    const column = this.block.codes[name];
    if (!column) throw new Error(`the column ${name} was not read`);
    return column;
  }

  private rowsOf(name: ColumnName): number {
    return COLUMNS[name].of === 'hit' ? this.block.hits : this.block.visitors;
  }
}

/** The numbers that occur, in ascending order. */
function distinctNumbers(numbers: Codes, hasZero = false): Uint32Array {
  let largest = 0;
  for (let index = 0; index < numbers.length; index++)
    if (numbers[index]! > largest) largest = numbers[index]!;
  const occurs = new Uint8Array(largest + 1);
  if (hasZero) occurs[0] = 1;
  for (let index = 0; index < numbers.length; index++) occurs[numbers[index]!] = 1;
  return placesOfOnes(occurs);
}
