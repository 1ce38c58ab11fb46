import { NumberList } from '../common/number-list';
import type { Hit } from './hit';
import { COLUMN_NAMES, COLUMNS } from './hit-columns';
import { VisitorNumbers } from './visitor-numbers';

const MAX_NUMBER = 2 ** 32 - 1;

/** More only where one visitor has more. */
export const MAX_HITS_OF_PART = 256 * 1024;

/** How much a part holds; at least one visitor, however many hits that one has. */
export interface PartLimits {
  hits: number;
  /** Of the texts of its hits, as characters. */
  textSize: number;
}

/** Visitors from one to before another one, in the order of their first hits. */
export interface VisitorRange {
  from: number;
  before: number;
}

/**
 * Who the hits of a day are of, so that the visitors of one part after the other can be picked out of them. It knows the
 * visitors rather than the hits, so each reading of the hits numbers the visitors again, in the same order.
 */
export class DayOutline {
  private readonly numbers = new VisitorNumbers();
  /** Of those who can be told, by their numbers. */
  private readonly known = new NumberList();
  private readonly hits = new NumberList();
  private readonly textSizes = new NumberList();
  /** How many visitors this reading has met. */
  private met = 0;

  add(hits: Hit[]): void {
    for (const hit of hits) {
      const visitor = this.visitor(hit);
      if (visitor === this.hits.size) this.addVisitor(hit);
      this.hits.values[visitor]!++;
      this.textSizes.values[visitor] = Math.min(
        MAX_NUMBER,
        this.textSizes.values[visitor]! + textSizeOf(hit),
      );
    }
  }

  parts(limits: PartLimits): VisitorRange[] {
    const [hits, textSizes] = [this.hits.values, this.textSizes.values];
    const parts: VisitorRange[] = [];
    let part = { from: 0, before: 0 };
    let own = { hits: 0, textSize: 0 };
    for (let visitor = 0; visitor < hits.length; visitor++) {
      const more = { hits: own.hits + hits[visitor]!, textSize: own.textSize + textSizes[visitor]! };
      const isFull = more.hits > limits.hits || more.textSize > limits.textSize;
      if (isFull && visitor > part.from) {
        parts.push(part);
        part = { from: visitor, before: visitor };
        own = { hits: 0, textSize: 0 };
      }
      own = { hits: own.hits + hits[visitor]!, textSize: own.textSize + textSizes[visitor]! };
      part.before = visitor + 1;
    }
    return [...parts, part];
  }

  /** To be called before the hits are read once more. */
  readAgain(): void {
    this.met = 0;
  }

  /** The next hits of a reading by ranges that follow one another; others are left out. */
  ofRanges(hits: Hit[], ranges: VisitorRange[]): Hit[][] {
    const ofRanges = ranges.map((): Hit[] => []);
    for (const hit of hits) {
      const range = rangeOf(this.visitor(hit), ranges);
      if (range !== undefined) ofRanges[range]!.push(hit);
    }
    return ofRanges;
  }

  private visitor({ visitor: hash }: Hit): number {
    const number = this.numbers.of(hash);
    const known = number !== null && number <= this.known.size;
    const visitor = known ? this.known.values[number - 1]! : this.met;
    if (visitor === this.met) this.met++;
    return visitor;
  }

  private addVisitor({ visitor: hash }: Hit): void {
    if (this.numbers.of(hash) !== null) this.known.push(this.hits.size);
    this.hits.push(0);
    this.textSizes.push(0);
  }
}

function rangeOf(visitor: number, ranges: VisitorRange[]): number | undefined {
  let [low, high] = [0, ranges.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (visitor < ranges[middle]!.before) high = middle;
    else low = middle + 1;
  }
  const { from, before } = ranges[low]!;
  return visitor >= from && visitor < before ? low : undefined;
}

function textSizeOf(hit: Hit): number {
  return COLUMN_NAMES.reduce((size, name) => size + (COLUMNS[name].value(hit)?.length ?? 0), 0);
}
