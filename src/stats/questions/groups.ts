import type { Codes } from '../../storage/code-list';
import { NOT_SET } from '../../storage/text-codes';
import { type BucketName, type Buckets, isOfDay } from './buckets';
import type { StretchView, OwnCodes } from './stretch-view';
import { isOfVisitors } from './derived';
import type { GroupKeys } from './group-keys';
import { type AskedName, placeOf } from './names';
import { passesAny, type Passed } from './passed';

/** What has one code; a finer one has that of the coarser one that it belongs to. */
type Level = 'visitor' | 'visit' | 'hit';
const LEVELS: readonly Level[] = ['visitor', 'visit', 'hit'];

/** The group of each visitor, visit or hit of a stretch. */
export interface Groups {
  readonly level: Level;
  readonly codes: Codes;
  /** The same ones, where there is less work in these. */
  readonly own?: OwnCodes;
  /** Larger than any of them. */
  readonly size: number;
}

/** Where the values that a visitor brings are told apart. */
export interface Brought {
  readonly codes: Codes;
  /** Stands for a first hit without a value. */
  readonly none: number;
  readonly direct: Uint8Array | undefined;
  readonly size: number;
}

export function isGroups(one: Groups | Brought): one is Groups {
  return 'level' in one;
}

/** A dimension of a question in one stretch. */
export class Dimension {
  private readonly place;

  constructor(
    name: AskedName,
    private readonly view: StretchView,
    private readonly buckets: Buckets | undefined,
  ) {
    this.place = placeOf(name);
  }

  /** For what is counted by hits and visitors. */
  ofHits(): Groups {
    const groups = this.groups();
    return groups.level === 'visit' ? spread(groups, this.view) : groups;
  }

  /** In a series a visit stands where its first hit does, or the first one that is in the range. */
  ofVisits(from: number | undefined): Groups {
    const groups = this.groups();
    if (this.place.level !== 'moment' || groups.level === 'visitor') return groups;
    const { visits, stretch } = this.view;
    const codes = new Uint32Array(visits.count);
    for (let visit = 0; visit < codes.length; visit++) {
      let hit = visits.begins[visit]!;
      if (from !== undefined) while (hit + 1 < visits.begins[visit + 1]! && stretch.at[hit]! < from) hit++;
      codes[visit] = groups.codes[hit]!;
    }
    return { ...groups, level: 'visit', codes };
  }

  /** Undefined where a visitor has one value of it, or where its hits have. */
  brought(): Brought | undefined {
    const { place, view } = this;
    if (place.level !== 'brought') return undefined;
    const none = this.none();
    const codes = view.codes(place.values);
    return { codes, none, direct: view.directFor(place.values, none), size: this.size() };
  }

  private groups(): Groups {
    const { place, view } = this;
    switch (place.level) {
      case 'moment':
        return this.ofMoments(place.bucket, this.buckets!);
      case 'visit': {
        const codes = view.ofVisits(place.values, place.which);
        return { level: 'visit', codes, size: this.size() };
      }
      case 'brought': {
        const codes = view.broughtByVisits(place.values, this.none());
        return { level: 'visit', codes, size: this.size() };
      }
      default: {
        const { values } = place;
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
    const { place, view } = this;
    if (place.level !== 'brought' || place.none === undefined) return NOT_SET;
    return view.values.of(place.values).codeOf(place.none);
  }

  private size(): number {
    return this.place.level === 'moment' ? 0 : this.view.values.of(this.place.values).texts.length;
  }
}

/** The groups of several dimensions together, of those that are selected; `count` is told of the work. */
export function grouped(
  dimensions: Groups[],
  view: StretchView,
  { visitors, hits }: Passed,
  keys: GroupKeys,
  count: (steps: number) => void,
): Groups {
  const [only] = dimensions;
  if (!only) return { level: 'visitor', codes: new Uint8Array(view.stretch.visitors), size: 1 };
  if (dimensions.length === 1) return only;
  const level = LEVELS[Math.max(...dimensions.map((own) => LEVELS.indexOf(own.level)))]!;
  const { begins } = view.stretch;
  const [rows, firstOf] = rowsOf(level, view);
  const isRowSelected = (row: number) =>
    hits === undefined ||
    (level === 'hit'
      ? hits[row] === 1
      : level === 'visitor' || passesAny(hits, view.visits.begins[row]!, view.visits.begins[row + 1]!));
  const codes = new Uint32Array(rows);
  const own = new Uint32Array(dimensions.length);
  const aligned = dimensions.map((dimension) =>
    dimension.level === 'visit' && level === 'hit' ? spread(dimension, view) : dimension,
  );
  const areOfRows = aligned.map((dimension) => dimension.level === level);
  const codesOf = aligned.map((dimension) => dimension.codes);
  for (let visitor = 0; visitor + 1 < begins.length; visitor++) {
    if (visitors && visitors[visitor] === 0) continue;
    const [begin, end] = firstOf ? [firstOf[visitor]!, firstOf[visitor + 1]!] : [visitor, visitor + 1];
    count(end - begin);
    for (let row = begin; row < end; row++) {
      if (!isRowSelected(row)) continue;
      for (let index = 0; index < own.length; index++)
        own[index] = codesOf[index]![areOfRows[index] ? row : visitor]!;
      codes[row] = keys.groupOf(own);
    }
  }
  return { level, codes, size: keys.size };
}

/** Of each hit that of its visit. */
function spread({ codes, size }: Groups, view: StretchView): Groups {
  return { level: 'hit', codes: view.hitsOfVisits(codes), size };
}

/** How many there are, and where those of each visitor begin. */
function rowsOf(level: Level, view: StretchView): [number, Uint32Array | undefined] {
  if (level === 'visitor') return [view.stretch.visitors, undefined];
  return level === 'hit'
    ? [view.stretch.hits, view.stretch.begins]
    : [view.visits.count, view.visits.ofVisitors];
}
