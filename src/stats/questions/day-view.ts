import { type Codes, unpacked } from '../../storage/code-list';
import type { DayColumns } from '../../storage/day-columns';
import { type ColumnName, COLUMNS } from '../../storage/hit-columns';
import { NOT_SET, type WebsiteTexts } from '../../storage/text-codes';

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
    readonly texts: WebsiteTexts,
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
  codes(column: ColumnName): Codes {
    const { codes, hits, visitors } = this.columns;
    const size = COLUMNS[column].of === 'hit' ? hits : visitors;
    return this.once(`codes ${column}`, () => unpacked(codes[column], size));
  }

  /** One for each hit: of a visitor's column, that of the visitor. */
  ofHits(column: ColumnName): Codes {
    const codes = this.codes(column);
    if (COLUMNS[column].of === 'hit') return codes;
    return this.once(`hits ${column}`, () => spread(codes, this.visitorOf));
  }

  /** Of the first or the last page view of the visit. */
  ofVisits(column: ColumnName, which: 'first' | 'last'): Codes {
    return this.once(`${which} ${column}`, () => {
      const { count, begins, of } = this.visits;
      const codes = this.codes(column);
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
  broughtByVisits(column: ColumnName, none: number): Codes {
    return this.once(`brought ${column}`, () => {
      const { count, begins, of } = this.visits;
      const codes = this.codes(column);
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

  private once<T>(key: string, derive: () => T): T {
    let known = this.derived.get(key) as T | undefined;
    if (known === undefined) this.derived.set(key, (known = derive()));
    return known;
  }
}

function spread(codes: Codes, owners: Uint32Array): Codes {
  const Spread = codes.constructor as new (length: number) => Codes;
  const spreadCodes = new Spread(owners.length);
  for (let hit = 0; hit < owners.length; hit++) spreadCodes[hit] = codes[owners[hit]!]!;
  return spreadCodes;
}
