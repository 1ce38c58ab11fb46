import type { Codes } from '../../../hits/codes/code-list';
import type { CountedMetric } from '../../../questions/plan/metrics';
import type { BlockView } from '../../select/block-view';
import { CountTable } from '../../walk/count-table';
import type { Groups } from '../groups';
import { PairNumbers } from '../pair-numbers';
import type { GoalSets } from './goal-sets';

/** The metrics that are counted by sets of goals. */
const METRICS = ['conversions', 'pageviews', 'events', 'visitors'] as const satisfies CountedMetric[];
const [CONVERSIONS, PAGEVIEWS, EVENTS, VISITORS] = [0, 1, 2, 3] as const;
/** A block adds no more rows at once. */
const MAX_ROWS = 256 * 1024;

export function canCountBySets(metrics: readonly CountedMetric[]): boolean {
  return metrics.every((metric) => METRICS.some((own) => own === metric));
}

/** Hits that reach goals, in order, and the class of each of them. */
interface HitsOfGoals {
  places: Uint32Array;
  classOf: Uint32Array;
  sets: GoalSets;
}

/** Where counts are added: to the row of a goal in a group. */
export interface RowsByGoal {
  /** The group that the values of a group are counted in. It is known before the first count is added. */
  groupFor: (group: number) => number;
  add: (goal: number, group: number, metric: CountedMetric, count: number) => void;
}

export type Outcome = 'counted' | 'too many sets' | 'too many rows';

/**
 * Counts hits that reach many goals each, once for all goals: by the set of goals that a hit reaches, and by the set of
 * those that a visitor reaches with all hits of a group. Adds nothing if there are too many sets or rows.
 */
export function countBySets(
  view: BlockView,
  { places, classOf, sets }: HitsOfGoals,
  groups: Groups | undefined,
  added: RowsByGoal,
): Outcome {
  const { visitorOfHits, pageviews, block } = view;
  const setOf = sets.ofEachClass();
  const { rows, groupOf, size } = numberedIn(groups, added);
  const isOfHits = groups?.level === 'hit';
  const [cells, visited] = [new Cells(), new Visited(sets, size)];
  let last = -1;
  for (let index = 0; index < places.length; index++) {
    const hit = places[index]!;
    const visitor = visitorOfHits[hit]!;
    const group = rows ? groupOf(rows[isOfHits ? hit : visitor]!) : 0;
    const set = setOf[classOf[index]!]!;
    if (visitor !== last) {
      visited.end(cells, block.isKnown[last] === 1);
      if (sets.areTooMany) return 'too many sets';
      last = visitor;
    }
    cells.addHit(set, group, pageviews[hit]!);
    visited.add(set, group);
  }
  visited.end(cells, block.isKnown[last] === 1);
  return cells.addTo(sets, added) ? 'counted' : 'too many rows';
}

/** A number for each row, the group that each number is counted in, and a number that is larger than any group. */
interface Numbered {
  rows: Codes | undefined;
  groupOf: (number: number) => number;
  size: number;
}

function numberedIn(groups: Groups | undefined, { groupFor }: RowsByGoal): Numbered {
  if (!groups) return { rows: undefined, groupOf: () => 0, size: 1 };
  const { own, size } = groups;
  const codeOf = own?.codeOf;
  // From one; zero is not known yet.
  const known = new Uint32Array(codeOf?.length ?? size);
  const groupOf = (number: number) => {
    if (known[number] === 0) known[number] = 1 + groupFor(codeOf ? codeOf[number]! : number);
    return known[number]! - 1;
  };
  return { rows: codeOf ? own.rows : groups.codes, groupOf, size };
}

/** The sets of one visitor: what all hits of a group reach together. */
class Visited {
  private readonly setOf: Uint32Array;
  private readonly groups: number[] = [];

  constructor(
    private readonly sets: GoalSets,
    size: number,
  ) {
    this.setOf = new Uint32Array(size);
  }

  add(set: number, group: number): void {
    const before = this.setOf[group]!;
    if (before === set) return;
    if (before === 0) this.groups.push(group);
    this.setOf[group] = this.sets.union(before, set);
  }

  /** Counts the visitor if it is known. */
  end(cells: Cells, isKnown: boolean): void {
    for (let index = 0; index < this.groups.length; index++) {
      const group = this.groups[index]!;
      if (isKnown) cells.addVisitor(this.setOf[group]!, group);
      this.setOf[group] = 0;
    }
    this.groups.length = 0;
  }
}

/** Counts by a set of goals and a group. */
class Cells {
  private readonly pairs = new PairNumbers();
  private readonly counts = new CountTable(METRICS.length);
  private readonly all: (readonly [set: number, group: number])[] = [];
  private last = { set: 0, group: 0, cell: 0 };

  addHit(set: number, group: number, isPageview: number): void {
    const cell = this.cellOf(set, group);
    this.counts.add(cell, CONVERSIONS);
    this.counts.add(cell, isPageview === 1 ? PAGEVIEWS : EVENTS);
  }

  addVisitor(set: number, group: number): void {
    this.counts.add(this.cellOf(set, group), VISITORS);
  }

  /** Returns false if there would be too many rows. */
  addTo(sets: GoalSets, added: RowsByGoal): boolean {
    const rows = this.all.reduce((sum, [set]) => sum + sets.goalsOf(set).length, 0);
    if (rows > MAX_ROWS) return false;
    for (const [cell, [set, group]] of this.all.entries())
      for (const [index, metric] of METRICS.entries()) {
        const count = this.counts.of(cell, index);
        if (count > 0) for (const goal of sets.goalsOf(set)) added.add(goal, group, metric, count);
      }
    return true;
  }

  /** Most hits have the set and the group of the hit before. No hit has the set without a goal. */
  private cellOf(set: number, group: number): number {
    const { last } = this;
    if (set === last.set && group === last.group) return last.cell;
    const cell = this.pairs.numberOf(set, group);
    if (cell === this.all.length) this.all.push([set, group]);
    last.set = set;
    last.group = group;
    last.cell = cell;
    return cell;
  }
}
