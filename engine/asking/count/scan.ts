import { hasDay } from '../../questions/plan/range-days';
import { BUCKETS, type Buckets, isOfDay, type Zone } from '../../questions/plan/buckets';
import { type Check, WorkSteps } from '../../ground/deadline-check';
import type { BlockView } from '../select/block-view';
import type { GroupKeys } from './group-keys';
import { countConversions } from './goals/conversions';
import { canCountBySets, countBySets, type RowsByGoal } from './goals/count-by-sets';
import { GoalSets } from './goals/goal-sets';
import { countHits, countMoments } from './count-hits';
import { Combinations, countAcquisition, countVisitors } from './count-visitors';
import { countVisits } from './visits-and-bounces';
import { NO_GOAL } from './goals/keys-by-goal';
import { Dimension, grouped, type Groups } from './groups';
import { OneCode } from './goals/one-code';
import type { CountedMetric } from '../../questions/plan/metrics';
import { GOAL } from '../../questions/parse/filter';
import { originOf } from '../../questions/parse/names';
import type { HitClasses } from '../select/classes/hit-classes';
import { inBoth, type Matches } from '../select/matching-rows';
import { hitsWithin, momentsIn } from '../select/moments';
import { type Reaching, reachingIn, rowsOfFilters } from '../select/rows-of-filters';
import { codeOfGoal, type HitQuery, type Range } from '../../questions/plan/hit-query';
import type { RowMemory } from '../memory/bytes-of-rows';
import { SelectedRows } from '../select/selected-rows';
import type { WebsiteValues } from '../select/website-values';
import { addPartial, partialOf, type PartialRows } from './partial-rows';
import { type PackedCounts, Tally } from './tally';
import { addValues } from './values-of-events';

type AnyDimension = Dimension | OneCode;
/** If hits reach more goals than this on average, all goals are counted at once. */
const DENSE = 3;

/** The counts of a scan so far. */
export interface ScanCounts {
  readonly counts: PackedCounts;
  /** The numbers of the next visitor and the next visit. */
  readonly visitors: number;
  readonly visits: number;
}

/** One query over one range, with its counts so far. */
export class Scan {
  readonly tally: Tally;
  readonly buckets: (Buckets | undefined)[];
  private visitors = 1;
  private visits = 1;
  private sets: GoalSets | undefined;
  private readonly work: WorkSteps;

  constructor(
    readonly hitQuery: HitQuery,
    readonly range: Range,
    /** Shared with the scan of the compared range. */
    readonly keys: GroupKeys,
    zone: Zone,
    check: Check,
    private readonly memory: RowMemory,
  ) {
    this.tally = new Tally(hitQuery.metrics);
    memory.add(this);
    this.work = new WorkSteps(() => {
      check();
      memory.check(this);
    });
    this.buckets = hitQuery.dimensions.map((name) => {
      if (name === GOAL) return undefined;
      const origin = originOf(name);
      return origin.level === 'moment' ? BUCKETS[origin.bucket](range.days, zone) : undefined;
    });
  }

  get bytes(): number {
    return this.keys.bytes + this.tally.bytes + (this.sets?.bytes ?? 0);
  }

  close(): boolean {
    return this.keys.close();
  }

  covers(day: number): boolean {
    return hasDay(this.range, day);
  }

  copyCounts(): ScanCounts {
    return { counts: this.tally.pack(), visitors: this.visitors, visits: this.visits };
  }

  continueFrom({ counts, visitors, visits }: ScanCounts): void {
    this.tally.unpack(counts);
    this.visitors = visitors;
    this.visits = visits;
  }

  /** The counts of its rows, for other scans of the query. */
  partial(values: WebsiteValues): PartialRows {
    return partialOf(this, values);
  }

  addPartial(rows: PartialRows, values: WebsiteValues): void {
    addPartial(this, rows, values);
    this.memory.check(this);
  }

  /** Counts the selected hits of a block. All or none of its days must be in the range. */
  add(view: BlockView, matches: Matches): void {
    const inRange = this.inRange(view, matches);
    const selected = view.once(inRange, () => new SelectedRows(view, inRange));
    if (selected.isEmpty) return;
    const dimensions = this.dimensionsIn(view, new OneCode(NO_GOAL, 1, view));
    this.addRows(view, selected, dimensions, this.hitQuery.goals?.value === undefined);
    this.end(view);
  }

  /** Counts the hits that reach each goal, in the row of the goal. */
  addByGoal(view: BlockView, matches: Matches, classes: HitClasses): void {
    const goals = this.hitQuery.goals!.list!;
    const reaching = reachingIn(view, classes, this.inRange(view, matches));
    if (this.addBySets(view, reaching, classes)) return this.end(view);
    for (const { filter, rows } of rowsOfFilters(view, classes, reaching)) {
      const goal = new OneCode(codeOfGoal(filter), codeOfGoal(goals.length), view);
      this.addRows(view, rows, this.dimensionsIn(view, goal), goals[filter]!.value === undefined);
    }
    this.end(view);
  }

  /** Counts all goals at once, if most hits reach several. Returns false if it does not. */
  private addBySets(view: BlockView, { places, classOf, sizes }: Reaching, classes: HitClasses): boolean {
    const { dimensions, metrics } = this.hitQuery;
    const areFew = sizes.reduce((sum, size) => sum + size, 0) < DENSE * places.length;
    if (areFew || dimensions.length > 2 || this.keys.areClosed || !canCountBySets(metrics)) return false;
    const other = dimensions.findIndex((name) => name !== GOAL);
    const dimension = this.dimensionsIn(view, new OneCode(NO_GOAL, 1, view))[other];
    if (dimension?.acquisition()) return false;
    this.work.take(places.length);
    this.sets ??= new GoalSets(classes);
    const hits = { places, classOf, sets: this.sets };
    const outcome = countBySets(view, hits, dimension?.ofHits(), this.rowsByGoal(other));
    if (outcome === 'too many rows') this.close();
    return outcome === 'counted';
  }

  /** `other` is the place of the dimension beside that of goals, if there is one. */
  private rowsByGoal(other: number): RowsByGoal {
    const { keys, tally } = this;
    const codes = new Uint32Array(2);
    const groupOf = (goal: number, group: number) => {
      codes[other] = group;
      codes[1 - other] = codeOfGoal(goal);
      return keys.groupOf(codes);
    };
    const hasOther = other >= 0;
    return {
      groupFor: (group) => keys.countedAs(group),
      add: (goal, group, metric, count) => {
        const row = hasOther ? groupOf(goal, group) : codeOfGoal(goal);
        tally.reserve(hasOther ? keys.size : row + 1);
        const counts = tally.countsOf(metric);
        if (counts) counts[row]! += count;
      },
    };
  }

  private dimensionsIn(view: BlockView, goal: OneCode): AnyDimension[] {
    return this.hitQuery.dimensions.map((name, index) =>
      name === GOAL ? goal : new Dimension(name, view, this.buckets[index]),
    );
  }

  private addRows(
    view: BlockView,
    selected: SelectedRows,
    dimensions: AnyDimension[],
    addsValues: boolean,
  ): void {
    this.work.take(selected.areFew ? selected.hitPlaces!.length : view.block.hits);
    let known: Groups | undefined;
    const groups = () =>
      (known ??= this.grouped(
        dimensions.map((dimension) => dimension.ofHits()),
        view,
        selected,
      ));
    if (this.counts('pageviews', 'events', 'conversions', 'value_high'))
      this.addHits(view, selected, groups, addsValues);
    if (this.counts('visitors')) this.addVisitors(view, selected, dimensions, groups);
    if (this.counts('visits', 'bounces', 'seconds')) this.addVisits(view, selected, dimensions);
  }

  /** Visitors and visits of further blocks get further numbers. */
  private end({ block: { visitors, hits } }: BlockView): void {
    this.visitors += visitors;
    this.visits += hits;
    this.memory.check(this);
  }

  private counts(...metrics: CountedMetric[]): boolean {
    return metrics.some((metric) => this.hitQuery.metrics.includes(metric));
  }

  private inRange(view: BlockView, matches: Matches): Matches {
    const hits = hitsWithin(this.range, view);
    return hits ? inBoth({ hits }, matches) : matches;
  }

  /** The buckets of a query that only counts hits by moment. */
  private onlyMoments(): Buckets | undefined {
    const [name, ...others] = this.hitQuery.dimensions;
    if (name === undefined || name === GOAL || others.length > 0 || this.counts('value_high'))
      return undefined;
    const origin = originOf(name);
    return origin.level === 'moment' && !isOfDay(origin.bucket) ? this.buckets[0] : undefined;
  }

  /** The groups of the selected rows, with room for their counts. */
  private grouped(dimensions: Groups[], view: BlockView, selected: SelectedRows): Groups {
    const groups = grouped(dimensions, view, selected, this.keys, this.work);
    this.tally.reserve(groups.size);
    return groups;
  }

  private addHits(
    view: BlockView,
    selected: SelectedRows,
    groupsOfHits: () => Groups,
    addsValues: boolean,
  ): void {
    const moments = this.onlyMoments();
    if (moments && !selected.hits && selected.isOfHits) return countMoments(view, moments, this.tally);
    const groups = groupsOfHits();
    if (addsValues && this.counts('value_high')) addValues(view, selected, groups, this.tally);
    if (this.counts('conversions')) countConversions(view, selected, groups, this.tally);
    if (this.counts('pageviews', 'events')) countHits(view, selected, groups, this.tally);
  }

  private addVisits(view: BlockView, selected: SelectedRows, dimensions: AnyDimension[]): void {
    const from = momentsIn(this.range, view.block)?.from;
    const groups = this.grouped(
      dimensions.map((dimension) => dimension.ofVisits(from)),
      view,
      selected,
    );
    countVisits(view, selected, groups, this.tally, this.visits);
  }

  private addVisitors(
    view: BlockView,
    selected: SelectedRows,
    dimensions: AnyDimension[],
    groupsOfHits: () => Groups,
  ): void {
    const { tally, keys, visitors, work } = this;
    const acquisition = dimensions.map((dimension) => dimension.acquisition());
    const [only] = acquisition;
    if (acquisition.every((one) => one === undefined))
      return countVisitors(view, selected, groupsOfHits(), tally, visitors);
    const groups = dimensions.map((dimension, index) => acquisition[index] ?? dimension.ofHits());
    if (only && acquisition.length === 1) countAcquisition(view, selected, only, tally, visitors);
    else new Combinations(view, groups, keys, tally, visitors, work).add(selected);
  }
}
