import type { Codes } from '../../storage/code-list';
import { NOT_SET } from '../../storage/text-codes';
import { BUCKETS, type Buckets, type Zone } from './buckets';
import { type Check, checkBetween } from './check';
import type { DayView } from './day-view';
import { GroupKeys } from './group-keys';
import type { Counted } from './metrics';
import { placeOf } from './names';
import type { Question, Range } from './question';
import type { RowMemory } from './row-memory';
import { momentsOf } from './selection';
import { Tally } from './tally';
import type { WebsiteValues } from './website-values';

/** A dimension on one day: the code of each hit for what is counted by hits and visits. */
interface Keyed {
  codes: Codes;
  isMoment: boolean;
  /** Where a visitor counts once for each of several values. */
  broughtTo?: (visitor: number) => Iterable<number>;
}

/** One question over one range: what was found so far. */
export class Scan {
  readonly tally: Tally;
  readonly buckets: (Buckets | undefined)[];
  private visitors = 1;
  private visits = 1;
  private readonly count: () => void;

  constructor(
    readonly question: Question,
    readonly range: Range,
    /** Shared with the scan of the range that it is compared with. */
    readonly keys: GroupKeys,
    private readonly values: WebsiteValues,
    zone: Zone,
    check: Check,
    private readonly memory: RowMemory,
  ) {
    this.tally = new Tally(question.metrics);
    memory.add(this);
    this.count = checkBetween(() => {
      check();
      memory.check(this);
    });
    this.buckets = question.dimensions.map((name) => {
      const place = placeOf(name);
      return place.level === 'moment' ? BUCKETS[place.bucket](range.days, zone) : undefined;
    });
  }

  get bytes(): number {
    return this.keys.bytes + this.tally.bytes;
  }

  covers(day: number): boolean {
    return day >= this.range.days.from && day <= this.range.days.to;
  }

  /** Adds the hits of a day that passed the filter, or all of them. */
  add(view: DayView, passed: Uint8Array | undefined): void {
    const selected = this.inRange(view, passed);
    const dimensions = this.question.dimensions.map((_, index) => this.keyed(index, view));
    if (this.counts('pageviews', 'events')) this.addHits(view, selected, dimensions);
    if (this.counts('visits', 'bounces', 'seconds')) this.addVisits(view, selected, dimensions);
    if (this.counts('visitors')) this.addVisitors(view, selected, dimensions);
    this.memory.check(this);
  }

  private counts(...metrics: Counted[]): boolean {
    return metrics.some((metric) => this.question.metrics.includes(metric));
  }

  /** Undefined where all hits are selected. */
  private inRange({ columns }: DayView, passed: Uint8Array | undefined): Uint8Array | undefined {
    const { moments } = this.range;
    if (!moments) return passed;
    const { at } = columns;
    const selected = passed?.slice() ?? new Uint8Array(at.length).fill(1);
    for (let hit = 0; hit < at.length; hit++)
      if (at[hit]! < moments.from || at[hit]! > moments.to) selected[hit] = 0;
    return selected;
  }

  private keyed(index: number, view: DayView): Keyed {
    const place = placeOf(this.question.dimensions[index]!);
    if (place.level === 'moment') return { codes: momentsOf(this.buckets[index]!, view), isMoment: true };
    const { values } = place;
    if (place.level === 'visit') return { codes: view.ofVisits(values, place.which), isMoment: false };
    if (place.level !== 'brought') return { codes: view.ofHits(values), isMoment: false };
    const codes = view.codes(values);
    const none = place.none === undefined ? NOT_SET : this.values.of(values).codeOf(place.none);
    const direct = none === NOT_SET ? undefined : view.direct(values);
    return {
      codes: view.broughtByVisits(values, none),
      isMoment: false,
      broughtTo: broughtTo(view, codes, none, direct),
    };
  }

  private addHits(view: DayView, selected: Uint8Array | undefined, dimensions: Keyed[]): void {
    const { tally } = this;
    const { hits } = view.columns;
    const event = view.codes('event');
    const groupAt = this.grouping(dimensions);
    for (let hit = 0; hit < hits; hit++) {
      if (selected && selected[hit] === 0) continue;
      this.count();
      tally.add(event[hit] === NOT_SET ? 'pageviews' : 'events', groupAt(hit, hit), 1);
    }
  }

  private addVisits(view: DayView, selected: Uint8Array | undefined, dimensions: Keyed[]): void {
    const { tally } = this;
    const { isKnown, at } = view.columns;
    const { visits, visitorOf } = view;
    const event = view.codes('event');
    const groupAt = this.grouping(dimensions);
    for (let visit = 0; visit < visits.count; visit++) {
      const [begin, end] = [visits.begins[visit]!, visits.begins[visit + 1]!];
      if (isKnown[visitorOf[begin]!] === 0) continue;
      for (let hit = begin; hit < end; hit++) {
        if (selected && selected[hit] === 0) continue;
        this.count();
        const group = groupAt(hit, this.firstInRange(at, begin));
        if (!tally.isNewVisit(group, this.visits + visit)) continue;
        this.addVisit(group, at[end - 1]! - at[begin]!, end - begin === 1 && event[begin] === NOT_SET);
      }
    }
    this.visits += visits.count;
  }

  private addVisit(group: number, seconds: number, isBounce: boolean): void {
    this.tally.add('visits', group, 1);
    if (isBounce) this.tally.add('bounces', group, 1);
    this.tally.add('seconds', group, seconds);
  }

  /** The group of a hit; in a series it stands where another hit does. */
  private grouping(dimensions: Keyed[]): (hit: number, momentHit: number) => number {
    const [only, ...others] = dimensions;
    if (!only) return () => 0;
    const { codes } = only;
    if (others.length === 0)
      return only.isMoment ? (_, momentHit) => codes[momentHit]! : (hit) => codes[hit]!;
    const own = new Uint32Array(dimensions.length);
    return (hit, momentHit) => {
      for (let index = 0; index < dimensions.length; index++) {
        const { codes, isMoment } = dimensions[index]!;
        own[index] = codes[isMoment ? momentHit : hit]!;
      }
      return this.keys.groupOf(own);
    };
  }

  /** In a series a visit stands where its first hit does, or the first one that is in the range. */
  private firstInRange(at: Uint32Array, begin: number): number {
    const from = this.range.moments?.from ?? 0;
    let hit = begin;
    while (at[hit]! < from) hit++;
    return hit;
  }

  private addVisitors(view: DayView, selected: Uint8Array | undefined, dimensions: Keyed[]): void {
    const { begins, isKnown, visitors } = view.columns;
    const { dimensions: names } = this.question;
    const isOncePerVisitor = names.every((name) => ['visitor', 'brought'].includes(placeOf(name).level));
    const several = dimensions.flatMap(({ broughtTo }, index) => (broughtTo ? [{ index, broughtTo }] : []));
    const own = new Uint32Array(dimensions.length);
    for (let visitor = 0; visitor < visitors; visitor++) {
      if (isKnown[visitor] === 0) continue;
      for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++) {
        if (selected && selected[hit] === 0) continue;
        this.count();
        for (let index = 0; index < dimensions.length; index++) own[index] = dimensions[index]!.codes[hit]!;
        this.addVisitor(this.visitors + visitor, visitor, own, several);
        if (isOncePerVisitor) break;
      }
    }
    this.visitors += visitors;
  }

  /** In the group of each combination of the values that the visitor brought. */
  private addVisitor(
    number: number,
    visitor: number,
    own: Uint32Array,
    several: { index: number; broughtTo: (visitor: number) => Iterable<number> }[],
  ): void {
    const [next, ...others] = several;
    if (!next) {
      const group = this.keys.groupOf(own);
      if (this.tally.isNewVisitor(group, number)) this.tally.add('visitors', group, 1);
      return;
    }
    for (const code of next.broughtTo(visitor)) {
      this.count();
      own[next.index] = code;
      this.addVisitor(number, visitor, own, others);
    }
  }
}

/** The different values that a visitor brought in the day, or that of none. */
function broughtTo(
  { columns: { begins } }: DayView,
  codes: Codes,
  none: number,
  direct: Uint8Array | undefined,
) {
  let last = -1;
  let values = new Set<number>();
  return (visitor: number): Iterable<number> => {
    if (visitor === last) return values;
    last = visitor;
    values = new Set();
    if (direct?.[visitor] === 1) values.add(none);
    for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++)
      if (codes[hit] !== NOT_SET) values.add(codes[hit]!);
    if (values.size === 0) values.add(NOT_SET);
    return values;
  };
}
