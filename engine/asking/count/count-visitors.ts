import type { Codes } from '../../hits/codes/code-list';
import { NOT_SET } from '../../hits/codes/text-codes';
import type { WorkSteps } from '../../ground/deadline-check';
import type { BlockView } from '../select/block-view';
import type { GroupKeys } from './group-keys';
import { type Acquisition, type Groups, isGroups, numbered, numbersOf } from './groups';
import type { Matches } from '../select/matching-rows';
import type { SelectedRows } from '../select/selected-rows';
import type { Tally } from './tally';

/** Counts the visitors of a block with a selected hit, each once in a group. Their numbers begin with `first`. */
export function countVisitors(
  view: BlockView,
  selected: SelectedRows,
  groups: Groups,
  tally: Tally,
  first: number,
): void {
  if (groups.level === 'hit') countByHits(view, selected, groups, tally, first);
  else countOnce(view, selected, groups, tally);
}

function countOnce(
  { block: { isKnown } }: BlockView,
  { visitorPlaces }: SelectedRows,
  groups: Groups,
  tally: Tally,
): void {
  const counts = tally.countsOf('visitors')!;
  const { rows, codeOf } = numbersOf(groups, tally);
  if (!visitorPlaces)
    for (let visitor = 0; visitor < isKnown.length; visitor++)
      counts[codeOf[rows[visitor]!]!]! += isKnown[visitor]!;
  else
    for (let index = 0; index < visitorPlaces.length; index++) {
      const visitor = visitorPlaces[index]!;
      counts[codeOf[rows[visitor]!]!]! += isKnown[visitor]!;
    }
}

function countByHits(
  { block: { begins, isKnown, visitors: size } }: BlockView,
  { visitorPlaces, hits }: SelectedRows,
  groups: Groups,
  tally: Tally,
  first: number,
): void {
  const counts = tally.countsOf('visitors')!;
  const last = tally.lastOf('visitors');
  const { rows, codeOf } = numbersOf(groups, tally);
  const many = visitorPlaces?.length ?? size;
  for (let index = 0; index < many; index++) {
    const visitor = visitorPlaces ? visitorPlaces[index]! : index;
    if (isKnown[visitor] === 0) continue;
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++) {
      const group = codeOf[rows[hit]!]!;
      if (hits?.[hit] === 0 || last[group] === first + visitor) continue;
      last[group] = first + visitor;
      counts[group]! += 1;
    }
  }
}

/** A visitor counts once for each of their values. */
export function countAcquisition(
  { block: { begins, isKnown, visitors: size } }: BlockView,
  { visitorPlaces }: SelectedRows,
  { own, none, direct, size: groups }: Acquisition,
  tally: Tally,
  first: number,
): void {
  tally.reserve(groups);
  const counts = tally.countsOf('visitors')!;
  const last = tally.lastOf('visitors');
  const { rows, codeOf } = numbered(own, tally);
  const add = (group: number, number: number) => {
    if (last[group] === number) return;
    last[group] = number;
    counts[group]! += 1;
  };
  const many = visitorPlaces?.length ?? size;
  for (let index = 0; index < many; index++) {
    const visitor = visitorPlaces ? visitorPlaces[index]! : index;
    if (isKnown[visitor] === 0) continue;
    let isSet = direct?.[visitor] === 1;
    if (isSet) add(none, first + visitor);
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++) {
      const group = codeOf[rows[hit]!]!;
      if (group === NOT_SET) continue;
      isSet = true;
      add(group, first + visitor);
    }
    if (!isSet) add(NOT_SET, first + visitor);
  }
}

/** Counts visitors in the group of each combination of their values with those of other dimensions. */
export class Combinations {
  private readonly own: Uint32Array;
  /** The dimensions with one value for each hit or visitor. */
  private readonly single: { index: number; codes: Codes; isOfVisitors: boolean }[];
  private readonly several: { index: number; valuesOf: (visitor: number) => Iterable<number> }[];

  constructor(
    private readonly view: BlockView,
    private readonly dimensions: (Acquisition | Groups)[],
    private readonly keys: GroupKeys,
    private readonly tally: Tally,
    private readonly first: number,
    private readonly work: WorkSteps,
  ) {
    this.own = new Uint32Array(dimensions.length);
    this.single = dimensions.flatMap((own, index) =>
      isGroups(own) ? [{ index, codes: own.codes, isOfVisitors: own.level === 'visitor' }] : [],
    );
    this.several = dimensions.flatMap((own, index) =>
      isGroups(own) ? [] : [{ index, valuesOf: valuesOf(view, own) }],
    );
  }

  add({ visitors, hits }: Matches): void {
    const { begins, isKnown, visitors: size } = this.view.block;
    const isOncePerVisitor = this.dimensions.every((own) => !isGroups(own) || own.level === 'visitor');
    for (let visitor = 0; visitor < size; visitor++) {
      if (isKnown[visitor] === 0 || visitors?.[visitor] === 0) continue;
      for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++) {
        if (hits?.[hit] === 0) continue;
        this.addHit(visitor, hit);
        if (isOncePerVisitor) break;
      }
    }
  }

  private addHit(visitor: number, hit: number): void {
    for (const { index, codes, isOfVisitors } of this.single)
      this.own[index] = codes[isOfVisitors ? visitor : hit]!;
    this.addCombinations(visitor, 0);
  }

  private addCombinations(visitor: number, from: number): void {
    const next = this.several[from];
    if (!next) return this.addOne(this.first + visitor);
    for (const code of next.valuesOf(visitor)) {
      this.work.take();
      this.own[next.index] = code;
      this.addCombinations(visitor, from + 1);
    }
  }

  private addOne(number: number): void {
    const group = this.keys.groupOf(this.own);
    this.tally.reserve(this.keys.size);
    const last = this.tally.lastOf('visitors');
    if (last[group] === number) return;
    last[group] = number;
    this.tally.countsOf('visitors')![group]! += 1;
  }
}

/** The distinct values of a visitor, or the value of none. */
function valuesOf({ block: { begins } }: BlockView, { own, none, direct }: Acquisition) {
  const { rows, codeOf } = own;
  let last = -1;
  let values = new Set<number>();
  return (visitor: number): Iterable<number> => {
    if (visitor === last) return values;
    last = visitor;
    values = new Set();
    if (direct?.[visitor] === 1) values.add(none);
    for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++) {
      const code = codeOf ? codeOf[rows[hit]!]! : rows[hit]!;
      if (code !== NOT_SET) values.add(code);
    }
    if (values.size === 0) values.add(NOT_SET);
    return values;
  };
}
