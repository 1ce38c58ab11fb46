import { OTHER } from '../../hits/rules/value-limits';
import { addCopies, setValuesOfGoals } from '../count/goals/counts-of-goals';
import { GroupKeys } from '../count/group-keys';
import { KeysByGoal, RowsDisagree } from '../count/goals/keys-by-goal';
import { Scan } from '../count/scan';
import type { PartialQuery } from '../partial';
import { GOAL } from '../../questions/parse/filter';
import { originOf } from '../../questions/parse/names';
import type { DayOfHits } from '../../hits/hit-block';
import type { Zone } from '../../questions/plan/buckets';
import type { Answer, DimensionName, HitQuery, Range } from '../../questions/plan/hit-query';
import { type Part, partsOf } from '../../questions/plan/query-parts';
import { nameOfCounts, type PartCounts } from './sealed-counts';
import type { WebsiteValues } from '../select/website-values';
import type { BlockView } from '../select/block-view';
import type { HitClasses } from '../select/classes/hit-classes';
import { ALL_MATCH, type Matches } from '../select/matching-rows';
import type { Selection } from '../select/selection';
import { hitsReaching } from '../select/rows-of-filters';
import type { Selections } from '../select/selections';
import type { AnswerTexts } from '../memory/working-memory';
import { AnswerWriter } from './answer-rows';
import type { Check } from '../../ground/deadline-check';
import type { RowMemory } from '../memory/bytes-of-rows';

/** Finds what a filter selects in a block. */
type MatchesOf = (selection: Selection) => Matches;

/** The queries of a request share it. */
export interface Surroundings {
  readonly selections: Selections;
  readonly zone: Zone;
  readonly values: WebsiteValues;
  readonly rows: RowMemory;
  readonly check: Check;
  /** Tells whether rows by goal and those of all visitors count the same values together, if there are too many. */
  readonly agree: boolean;
}

/** A query while it is counted. */
export class CountedQuery {
  private readonly parts: CountedPart[];

  constructor(
    readonly hitQuery: HitQuery,
    private readonly around: Surroundings,
  ) {
    const { main, beside } = partsOf(hitQuery, around.agree);
    const keys = keysOf(main, beside, around);
    const haveSameRows = main.hitQuery.dimensions.length === beside?.hitQuery.dimensions.length;
    this.parts = [new CountedPart(main, keys, around)];
    if (beside)
      this.parts.push(new CountedPart(beside, haveSameRows ? keys : keysOf(beside, main, around), around));
  }

  get hasStatements(): boolean {
    return this.hitQuery.statements !== undefined;
  }

  covers(day: number): boolean {
    return this.parts[0]!.covers(day);
  }

  /** Names its counts of some days. */
  nameOf(days: readonly DayOfHits[]): string {
    return nameOfCounts(
      this.hitQuery,
      days.filter(({ day }) => this.covers(day)),
    );
  }

  /** Tells whether further groups are merged, which depends on the other queries of a request. */
  get isClosed(): boolean {
    return this.parts.some(({ keys }) => keys.areClosed);
  }

  get bytes(): number {
    return this.parts.reduce((sum, { scan, previous }) => sum + scan.bytes + (previous?.bytes ?? 0), 0);
  }

  copyCounts(): PartCounts[] {
    return this.parts.map((part) => part.copyCounts());
  }

  /** Begins with the counts of some days instead of scanning them. */
  continueFrom(counts: readonly PartCounts[]): void {
    for (const [index, part] of this.parts.entries()) part.continueFrom(counts[index]!);
  }

  partial(): PartialQuery {
    const { values } = this.around;
    return this.parts.map(({ scan, previous }) => ({
      rows: scan.partial(values),
      previous: previous?.partial(values),
    }));
  }

  addPartial(counted: PartialQuery): void {
    const { values } = this.around;
    for (const [index, { scan, previous }] of this.parts.entries()) {
      const own = counted[index]!;
      scan.addPartial(own.rows, values);
      if (own.previous) previous!.addPartial(own.previous, values);
    }
  }

  add(view: BlockView, matchesOf: MatchesOf): void {
    for (const part of this.parts) part.add(view, matchesOf);
  }

  answer(texts: AnswerTexts): Answer {
    const { values, check } = this.around;
    const { scan, previous } = this.parts[0]!;
    const groups = scan.tally.counted();
    this.complete(scan, (part) => part.scan, groups);
    if (previous) this.complete(previous, (part) => part.previous!, groups);
    const answer = new AnswerWriter(this.hitQuery, scan, previous, values, texts, check).answer();
    return { ...answer, isMerged: this.parts.some((part) => part.scan.keys.isMerged) };
  }

  private complete(main: Scan, scanOf: (part: CountedPart) => Scan, groups: Uint32Array): void {
    setValuesOfGoals(main);
    for (const counted of this.parts) addCopies(main, counted.part, scanOf(counted), groups);
    this.around.rows.check(main);
  }
}

/** A part of a query, over both of its ranges. */
class CountedPart {
  readonly scan: Scan;
  /** Over the compared range. */
  readonly previous: Scan | undefined;
  private readonly selection: Selection | undefined;
  private readonly goals: HitClasses | undefined;

  constructor(
    readonly part: Part,
    readonly keys: GroupKeys,
    { selections, zone, check, rows }: Surroundings,
  ) {
    const { hitQuery, hits } = part;
    const { range, previous, filter, goals } = hitQuery;
    const scanOf = (own: Range) => new Scan(hitQuery, own, keys, zone, check, rows);
    this.scan = scanOf(range);
    this.previous = previous && scanOf(previous);
    this.selection = filter && selections.of(filter);
    if (hits !== 'selected') this.goals = selections.classesOf(goals!.list!.map((goal) => goal.filter));
  }

  covers(day: number): boolean {
    return this.scan.covers(day) || (this.previous?.covers(day) ?? false);
  }

  copyCounts(): PartCounts {
    const { keys, scan, previous } = this;
    return { keys: keys.copy(), scan: scan.copyCounts(), previous: previous?.copyCounts() };
  }

  continueFrom({ keys, scan, previous }: PartCounts): void {
    this.keys.copyFrom(keys);
    this.scan.continueFrom(scan);
    if (previous) this.previous!.continueFrom(previous);
  }

  /** All days of a block must be in the same ranges. */
  add(view: BlockView, matchesOf: MatchesOf): void {
    const { day } = view.block.days[0]!;
    for (const scan of [this.scan, this.previous]) if (scan?.covers(day)) this.addTo(scan, view, matchesOf);
  }

  private addTo(scan: Scan, view: BlockView, matchesOf: MatchesOf): void {
    const { selection, goals, part } = this;
    const matches = selection ? matchesOf(selection) : ALL_MATCH;
    if (!goals) scan.add(view, matches);
    else if (part.hits === 'by goal') scan.addByGoal(view, matches, goals);
    else scan.add(view, hitsReaching(view, goals, matches));
  }
}

/** A value that is counted together with others for one goal, or for all visitors, and not for another has wrong rates. */
function keysOf(
  { hitQuery }: Part,
  other: Part | undefined,
  { values, rows, agree }: Surroundings,
): GroupKeys {
  const { dimensions, goals } = hitQuery;
  const ofOthers = () => otherCodes(dimensions, values);
  const goal = dimensions.indexOf(GOAL);
  if (agree && goal >= 0 && dimensions.length > 1) {
    const maxValues = Math.floor(rows.maxRows / (1 + goals!.list!.length));
    return new KeysByGoal(dimensions.length, goal, ofOthers, Math.max(1, maxValues));
  }
  const mustAgree = goal >= 0 || (other && other.hitQuery.dimensions.length !== dimensions.length);
  return new GroupKeys(dimensions.length, () => {
    if (mustAgree) throw new RowsDisagree();
    return ofOthers();
  });
}

function otherCodes(dimensions: DimensionName[], values: WebsiteValues): (number | undefined)[] {
  return dimensions.map((name) => {
    if (name === GOAL) return undefined;
    const origin = originOf(name);
    return origin.level === 'moment' ? undefined : values.of(origin.values).codeOf(OTHER);
  });
}
