import { type Codes, gathered } from '../../hits/codes/code-list';
import { NOT_SET } from '../../hits/codes/text-codes';
import { type BucketName, type Buckets, isOfDay } from '../../questions/plan/buckets';
import type { BlockView, OwnCodes } from '../select/block-view';
import { isOfVisitors } from '../../questions/plan/values-from-columns';
import type { WorkSteps } from '../../ground/deadline-check';
import type { GroupKeys } from './group-keys';
import { type QueryName, originOf } from '../../questions/parse/names';
import { matchesAny } from '../select/matching-rows';
import type { SelectedRows } from '../select/selected-rows';
import type { Tally } from './tally';

/**
 * The rows that have a code of their own. At a finer level, rows have the code of the coarser row that they belong to.
 */
type Level = 'visitor' | 'visit' | 'hit';
const LEVELS: readonly Level[] = ['visitor', 'visit', 'hit'];
/** The maximum size of a lookup table, which each block needs. */
const MAX_COMBINATIONS = 4096;

/** The group of each visitor, visit or hit of a block. */
export interface Groups {
  readonly level: Level;
  readonly codes: Codes;
  /** Stored numbers that stand for the groups, if reading them is faster. */
  readonly own?: OwnCodes;
  /** Larger than any code. */
  readonly size: number;
}

/** A number for each visitor, visit or hit, and the group of each number. */
export interface NumberedGroups {
  readonly rows: Codes;
  readonly codeOf: Codes;
}

/** The stored numbers, if possible: translating each row takes longer than a lookup. */
export function numbersOf(groups: Groups, tally: Tally): NumberedGroups {
  const { own } = groups;
  return own?.codeOf ? numbered(own, tally) : { rows: groups.codes, codeOf: tally.groups };
}

export function numbered({ rows, codeOf }: OwnCodes, tally: Tally): NumberedGroups {
  return { rows, codeOf: codeOf ?? tally.groups };
}

/** A dimension for which each visitor may have several values. */
export interface Acquisition {
  /** Of hits. */
  readonly own: OwnCodes;
  /** Stands for a first hit without a value. */
  readonly none: number;
  readonly direct: Uint8Array | undefined;
  readonly size: number;
}

export function isGroups(one: Groups | Acquisition): one is Groups {
  return 'level' in one;
}

/** A dimension of a query in one block. */
export class Dimension {
  private readonly origin;

  constructor(
    name: QueryName,
    private readonly view: BlockView,
    private readonly buckets: Buckets | undefined,
  ) {
    this.origin = originOf(name);
  }

  /** For counts of hits and visitors. */
  ofHits(): Groups {
    const groups = this.groups();
    return groups.level === 'visit' ? spread(groups, this.view) : groups;
  }

  /** In a series, a visit belongs to its first hit, or to its first hit within the range. */
  ofVisits(from: number | undefined): Groups {
    const groups = this.groups();
    if (this.origin.level !== 'moment' || groups.level === 'visitor') return groups;
    const { visits, block } = this.view;
    const codes = this.view.numbers(visits.count);
    for (let visit = 0; visit < codes.length; visit++) {
      let hit = visits.begins[visit]!;
      if (from !== undefined) while (hit + 1 < visits.begins[visit + 1]! && block.at[hit]! < from) hit++;
      codes[visit] = groups.codes[hit]!;
    }
    return { ...groups, level: 'visit', codes };
  }

  /** Undefined if a visitor, or each hit, has one value. */
  acquisition(): Acquisition | undefined {
    const { origin, view } = this;
    if (origin.level !== 'acquisition') return undefined;
    const none = this.none();
    const own = view.ownCodes(origin.values);
    return { own, none, direct: view.directFor(origin.values, none), size: this.size() };
  }

  private groups(): Groups {
    const { origin, view } = this;
    switch (origin.level) {
      case 'moment':
        return this.ofMoments(origin.bucket, this.buckets!);
      case 'visit': {
        const codes = view.ofVisits(origin.values, origin.which);
        return { level: 'visit', codes, size: this.size() };
      }
      case 'acquisition': {
        const codes = view.acquisitionOfVisits(origin.values, this.none());
        return { level: 'visit', codes, size: this.size() };
      }
      default: {
        const { values } = origin;
        return {
          level: isOfVisitors(values) ? 'visitor' : 'hit',
          get codes() {
            return view.codes(values);
          },
          own: view.ownCodes(values),
          size: this.size(),
        };
      }
    }
  }

  private ofMoments(name: BucketName, buckets: Buckets): Groups {
    const { size } = buckets;
    return isOfDay(name)
      ? { level: 'visitor', codes: this.view.bucketsOfVisitors(buckets), size }
      : { level: 'hit', codes: this.view.bucketsOfHits(buckets), size };
  }

  private none(): number {
    const { origin, view } = this;
    if (origin.level !== 'acquisition' || origin.none === undefined) return NOT_SET;
    return view.values.of(origin.values).codeOf(origin.none);
  }

  private size(): number {
    return this.origin.level === 'moment' ? 0 : this.view.values.of(this.origin.values).texts.length;
  }
}

/** The groups of several dimensions for the selected rows. They are valid until the next call for the block. */
export function grouped(
  dimensions: Groups[],
  view: BlockView,
  selected: SelectedRows,
  keys: GroupKeys,
  work: WorkSteps,
): Groups {
  const [only] = dimensions;
  if (!only) return { level: 'visitor', codes: view.noCodes, size: 1 };
  if (dimensions.length === 1) return only;
  const level = LEVELS[Math.max(...dimensions.map((own) => LEVELS.indexOf(own.level)))]!;
  const areOfVisitors = level === 'visitor' && combinationsOf(dimensions) <= MAX_COMBINATIONS;
  const codes = areOfVisitors
    ? groupsOfVisitors(dimensions, view, selected, keys, work)
    : groupsOfRows(dimensions, level, view, selected, keys, work);
  return { level, codes, size: keys.size };
}

/** The number of possible combinations of the stored numbers. */
function combinationsOf(dimensions: Groups[]): number {
  return dimensions.reduce((product, { own }) => product * (own?.codeOf?.length ?? Infinity), 1);
}

/** Looks up the group of each combination of stored numbers once. */
function groupsOfVisitors(
  dimensions: Groups[],
  view: BlockView,
  { visitorPlaces }: SelectedRows,
  keys: GroupKeys,
  work: WorkSteps,
): Uint32Array {
  const owns = dimensions.map(({ own }) => own as NumberedGroups);
  const [first, ...others] = owns;
  const groups = new Uint32Array(visitorPlaces ? gathered(first!.rows, visitorPlaces) : first!.rows);
  for (const { rows, codeOf } of others) append(groups, codeOf.length, rows, visitorPlaces);
  work.take(groups.length);
  const known = new Uint32Array(combinationsOf(dimensions));
  const codes = visitorPlaces ? listFor('visitor', first!.rows.length, view) : groups;
  for (let index = 0; index < groups.length; index++) {
    const combination = groups[index]!;
    const group = known[combination]!;
    codes[visitorPlaces ? visitorPlaces[index]! : index] =
      group > 0 ? group - 1 : (known[combination] = 1 + keys.groupOf(codesIn(combination, owns))) - 1;
  }
  return codes;
}

/** A list for the groups of selected rows. Those of other rows are never read, so that it need not be cleared. */
function listFor(level: Level, rows: number, view: BlockView): Uint32Array {
  return view.once(`groups by ${level}`, () => view.numbers(rows));
}

/** Adds the numbers of another dimension to combinations. */
function append(combinations: Uint32Array, size: number, rows: Codes, places?: Uint32Array): void {
  if (places)
    for (let index = 0; index < places.length; index++)
      combinations[index] = combinations[index]! * size + rows[places[index]!]!;
  else
    for (let index = 0; index < combinations.length; index++)
      combinations[index] = combinations[index]! * size + rows[index]!;
}

/** The code of each dimension in a combination. */
function codesIn(combination: number, owns: NumberedGroups[]): number[] {
  let rest = combination;
  return owns
    .toReversed()
    .map(({ codeOf }) => {
      const own = rest % codeOf.length;
      rest = (rest - own) / codeOf.length;
      return codeOf[own]!;
    })
    .reverse();
}

function groupsOfRows(
  dimensions: Groups[],
  level: Level,
  view: BlockView,
  { visitorPlaces, hits }: SelectedRows,
  keys: GroupKeys,
  work: WorkSteps,
): Uint32Array {
  const [rows, firstOf] = rowsOf(level, view);
  const isRowSelected = (row: number) =>
    hits === undefined ||
    (level === 'hit'
      ? hits[row] === 1
      : level === 'visitor' || matchesAny(hits, view.visits.begins[row]!, view.visits.begins[row + 1]!));
  const codes = listFor(level, rows, view);
  const own = new Uint32Array(dimensions.length);
  const aligned = dimensions.map((dimension) =>
    dimension.level === 'visit' && level === 'hit' ? spread(dimension, view) : dimension,
  );
  const areOfRows = aligned.map((dimension) => dimension.level === level);
  const codesOf = aligned.map((dimension) => dimension.codes);
  const many = visitorPlaces?.length ?? view.block.visitors;
  for (let index = 0; index < many; index++) {
    const visitor = visitorPlaces ? visitorPlaces[index]! : index;
    const [begin, end] = firstOf ? [firstOf[visitor]!, firstOf[visitor + 1]!] : [visitor, visitor + 1];
    work.take(end - begin);
    for (let row = begin; row < end; row++) {
      if (!isRowSelected(row)) continue;
      for (let place = 0; place < own.length; place++)
        own[place] = codesOf[place]![areOfRows[place] ? row : visitor]!;
      codes[row] = keys.groupOf(own);
    }
  }
  return codes;
}

/** Gives each hit the code of its visit. */
function spread({ codes, size }: Groups, view: BlockView): Groups {
  return { level: 'hit', codes: view.hitsOfVisits(codes), size };
}

/** The number of rows, and the first row of each visitor. */
function rowsOf(level: Level, view: BlockView): [number, Uint32Array | undefined] {
  if (level === 'visitor') return [view.block.visitors, undefined];
  return level === 'hit' ? [view.block.hits, view.block.begins] : [view.visits.count, view.visits.ofVisitors];
}
