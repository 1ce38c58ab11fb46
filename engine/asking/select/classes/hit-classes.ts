import { type Check, WorkSteps } from '../../../ground/deadline-check';
import type { FilterMemory } from '../../memory/filter-memory';
import type { Condition, Filter } from '../../../questions/parse/filter';
import { originOf } from '../../../questions/parse/names';
import type { Values } from '../../../questions/plan/values-from-columns';
import type { BlockView } from '../block-view';
import { type LeafResults, SelectedLeaf } from './leaf-results';
import { Leaves } from './leaves';
import { type Classes, Refinement } from './refinement';
import { type Matches, placesOfHits } from '../matching-rows';
import type { Selection } from '../selection';
import { TestedTexts } from './tested-texts';

const BYTES_OF_FILTER = 8;
const BYTES_OF_CLASS = 300;
const BYTES_OF_LEAF = 40;
/** A list of a leaf, and one that it is made of. */
const LISTS = 2;

/** The classes of some hits of a block. */
export interface ClassifiedHits {
  /** The places of the hits, in order. Undefined if they are all hits. */
  readonly places: Uint32Array | undefined;
  /** The class of each of them. */
  readonly classOf: Uint32Array;
}

/** The classes that were found last in a block. */
interface LastClassified {
  by?: HitClasses;
  matches?: Matches;
  hits?: ClassifiedHits;
}

/**
 * Tests hits with many filters at once. Hits that have the same results for all leaves are a class, and the filters are
 * evaluated once for each class. A name is looked at only for hits for which it matters. So the time of a scan hardly
 * depends on the number of filters.
 */
export class HitClasses implements Classes {
  private readonly leaves: Leaves;
  private readonly refinements: Refinement[];
  /** The leaves that are known when the results of others are. */
  private readonly knownBefore = new Map<LeafResults, ReadonlySet<number>>();
  /** The leaves that the hits of a class pass, and the filters that they pass, by number. */
  private readonly leavesOf: ReadonlySet<number>[] = [new Set()];
  private readonly passing: (readonly number[])[] = [];
  /** One for each class whose hits pass one of the filters. Read it after hits were classified. */
  passesAny = new Uint8Array(0);
  private readonly work: WorkSteps;

  constructor(
    readonly filters: readonly Filter[],
    selectionOf: (filter: Filter) => Selection,
    private readonly check: Check,
    private readonly memory: FilterMemory,
  ) {
    this.work = new WorkSteps(check);
    this.leaves = new Leaves(filters);
    const known = new Set<number>();
    this.refinements = this.results(selectionOf).map((results) => {
      this.knownBefore.set(results, new Set(known));
      for (const leaf of results.leaves) known.add(leaf);
      return new Refinement(this, results);
    });
  }

  get count(): number {
    return this.leavesOf.length;
  }

  /** The classes of the matching hits of a block. Valid until the next call for the block. */
  in(view: BlockView, matches: Matches): ClassifiedHits {
    const last = view.once('classified hits', (): LastClassified => ({}));
    if (last.by !== this || last.matches !== matches) {
      last.hits = this.classified(view, placesOfHits(matches, view));
      [last.by, last.matches] = [this, matches];
    }
    return last.hits!;
  }

  private classified(view: BlockView, places: Uint32Array | undefined): ClassifiedHits {
    view.borrow(LISTS * view.block.hits);
    const { hits } = view.block;
    const all = view.once('classes of hits', () => view.numbers(hits));
    const classOf = all.subarray(0, places?.length ?? hits).fill(0);
    for (const refinement of this.refinements) {
      this.check();
      refinement.refine(classOf, places, view);
    }
    this.evaluateNew();
    return { places, classOf };
  }

  /** The filters that hits of a class pass. Call it after the class was found. */
  filtersOf(own: number): readonly number[] {
    return this.passing[own]!;
  }

  areDecisive(own: number, results: LeafResults): boolean {
    this.work.take(this.filters.length);
    const [known, passed] = [this.knownBefore.get(results)!, this.leavesOf[own]!];
    const resultOf = (leaf: number) => (known.has(leaf) ? passed.has(leaf) : undefined);
    return this.filters.some((filter) => {
      const decided = this.leaves.decided(filter, resultOf);
      return typeof decided !== 'boolean' && decided.some((leaf) => results.leaves.has(leaf));
    });
  }

  add(own: number, passed: readonly number[]): number {
    const leaves = new Set([...this.leavesOf[own]!, ...passed]);
    this.memory.take(BYTES_OF_CLASS + BYTES_OF_LEAF * leaves.size);
    return this.leavesOf.push(leaves) - 1;
  }

  private evaluateNew(): void {
    const known = this.passing.length;
    for (const leaves of this.leavesOf.slice(known)) {
      this.work.take(this.filters.length);
      const numbers = [...this.filters.keys()];
      const passing = numbers.filter((number) => this.leaves.passes(this.filters[number]!, leaves));
      this.memory.take(BYTES_OF_FILTER * (1 + passing.length));
      this.passing.push(passing);
    }
    if (known < this.passing.length)
      this.passesAny = Uint8Array.from(this.passing, (filters) => Number(filters.length > 0));
  }

  /** Tests of one name are made together, if each hit or each visitor has one value. */
  private results(selectionOf: (filter: Filter) => Selection): LeafResults[] {
    const tests = new Map<string, { origin: OfTexts; ofName: Map<number, Condition> }>();
    const others: LeafResults[] = [];
    for (const [number, leaf] of this.leaves.all.entries()) {
      const origin = leaf.kind === 'test' ? originOf(leaf.name) : undefined;
      if (leaf.kind === 'test' && (origin?.level === 'hit' || origin?.level === 'visitor')) {
        const known = tests.get(leaf.name) ?? { origin, ofName: new Map<number, Condition>() };
        known.ofName.set(number, leaf);
        tests.set(leaf.name, known);
      } else others.push(new SelectedLeaf(number, leaf, selectionOf(leaf)));
    }
    const ofTexts = [...tests.values()].sort((one, other) => rankOf(one.origin) - rankOf(other.origin));
    return [
      ...ofTexts.map(({ origin, ofName }) => new TestedTexts(origin.values, ofName, this.check, this.memory)),
      ...others,
    ];
  }
}

interface OfTexts {
  level: 'hit' | 'visitor';
  values: Values;
}

/** What decides most goals comes first: whether a hit is an event, then its other values, then those of visitors. */
function rankOf({ level, values }: OfTexts): number {
  if (values === 'event') return 0;
  return level === 'hit' ? 1 : 2;
}
