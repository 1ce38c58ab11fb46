import { type Codes, unpacked } from '../../storage/code-list';
import type { DayColumns } from '../../storage/day-columns';
import { type ColumnName, COLUMNS } from '../../storage/hit-columns';
import { NOT_SET } from '../../storage/text-codes';
import { isOfVisitors, type Values } from './derived';
import type { WebsiteValues } from './website-values';

/** A visit ends before a longer pause. */
const PAUSE_S = 30 * 60;

/** The visits of a day: stretches of hits, as visitors are. */
export interface Visits {
  readonly count: number;
  /** Where the hits of each visit begin, and the number of hits at the end. */
  readonly begins: Uint32Array;
  /** The visit of each hit. */
  readonly of: Uint32Array;
}

/** What is derived from the columns of a day for the questions of one request, each at most once. */
export class DayView {
  private readonly derived = new Map<string, unknown>();

  constructor(
    readonly columns: DayColumns,
    readonly values: WebsiteValues,
  ) {}

  get visitorOf(): Uint32Array {
    return this.once('visitors', () => {
      const { begins, hits, visitors } = this.columns;
      const visitorOf = new Uint32Array(hits);
      for (let visitor = 0; visitor < visitors; visitor++)
        visitorOf.fill(visitor, begins[visitor], begins[visitor + 1]);
      return visitorOf;
    });
  }

  get visits(): Visits {
    return this.once('visits', () => {
      const { at, hits } = this.columns;
      const { visitorOf } = this;
      const begins = new Uint32Array(hits + 1);
      const of = new Uint32Array(hits);
      let count = 0;
      for (let hit = 0; hit < hits; hit++) {
        const goesOn = hit > 0 && visitorOf[hit] === visitorOf[hit - 1] && at[hit]! - at[hit - 1]! <= PAUSE_S;
        if (!goesOn) begins[count++] = hit;
        of[hit] = count - 1;
      }
      begins[count] = hits;
      return { count, begins: begins.slice(0, count + 1), of };
    });
  }

  /** One for each hit, or for each visitor. */
  codes(values: Values): Codes {
    return this.once(`codes ${keyOf(values)}`, () =>
      typeof values === 'string'
        ? this.codesOf(values)
        : this.values.derive(
            values,
            values.from.map((own) => this.codes(own)),
          ),
    );
  }

  /** One for each hit: of a visitor's values, that of the visitor. */
  ofHits(values: Values): Codes {
    const codes = this.codes(values);
    if (!isOfVisitors(values)) return codes;
    return this.once(`hits ${keyOf(values)}`, () => spread(codes, this.visitorOf));
  }

  /**
   * The visitors whose first hit brought none of the values: the first that was accepted had no referrer, and the first
   * one in time that had none brought nothing else that makes a value.
   */
  direct(values: Values): Uint8Array {
    return this.once(`direct ${keyOf(values)}`, () => {
      const { begins, visitors } = this.columns;
      const [codes, referrers] = [this.codes(values), this.codes('referrer')];
      const direct = this.columns.isDirect.slice();
      for (let visitor = 0; visitor < visitors; visitor++) {
        if (direct[visitor] === 0) continue;
        let hit = begins[visitor]!;
        while (referrers[hit] !== NOT_SET) hit++;
        if (codes[hit] !== NOT_SET) direct[visitor] = 0;
      }
      return direct;
    });
  }

  /** Of the first or the last page view of the visit. */
  ofVisits(values: Values, which: 'first' | 'last'): Codes {
    return this.once(`${which} ${keyOf(values)}`, () => {
      const { count, begins, of } = this.visits;
      const codes = this.codes(values);
      const event = this.codes('event');
      const ofVisit = new Uint32Array(count);
      for (let visit = 0; visit < count; visit++) {
        const [first, end] = [begins[visit]!, begins[visit + 1]!];
        for (let step = 0; step < end - first; step++) {
          const hit = which === 'first' ? first + step : end - 1 - step;
          if (event[hit] !== NOT_SET) continue;
          ofVisit[visit] = codes[hit]!;
          break;
        }
      }
      return spread(ofVisit, of);
    });
  }

  /** The first value that the visit brings. */
  broughtByVisits(values: Values, none: number): Codes {
    return this.once(`brought ${keyOf(values)}`, () => {
      const { count, begins, of } = this.visits;
      const codes = this.codes(values);
      const ofVisit = new Uint32Array(count).fill(none);
      for (let visit = 0; visit < count; visit++)
        for (let hit = begins[visit]!; hit < begins[visit + 1]!; hit++) {
          if (codes[hit] === NOT_SET) continue;
          ofVisit[visit] = codes[hit]!;
          break;
        }
      return spread(ofVisit, of);
    });
  }

  private codesOf(column: ColumnName): Codes {
    const { codes, hits, visitors } = this.columns;
    const packed = codes[column];
    if (!packed) throw new Error(`the column ${column} was not read`);
    return unpacked(packed, COLUMNS[column].of === 'hit' ? hits : visitors);
  }

  private once<T>(key: string, derive: () => T): T {
    let known = this.derived.get(key) as T | undefined;
    if (known === undefined) this.derived.set(key, (known = derive()));
    return known;
  }
}

function keyOf(values: Values): string {
  return typeof values === 'string' ? values : values.key;
}

function spread(codes: Codes, owners: Uint32Array): Codes {
  const Spread = codes.constructor as new (length: number) => Codes;
  const spreadCodes = new Spread(owners.length);
  for (let hit = 0; hit < owners.length; hit++) spreadCodes[hit] = codes[owners[hit]!]!;
  return spreadCodes;
}
