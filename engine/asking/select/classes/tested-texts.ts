import type { Codes } from '../../../hits/codes/code-list';
import { type Check, WorkSteps } from '../../../ground/deadline-check';
import type { FilterMemory } from '../../memory/filter-memory';
import type { Condition } from '../../../questions/parse/filter';
import { passingOne } from '../../../questions/filter-operators';
import { isOfVisitors, type Values } from '../../../questions/plan/values-from-columns';
import type { BlockView } from '../block-view';
import type { LeafResults, RowResults } from './leaf-results';

type Text = string | null;

interface Search {
  number: number;
  passes: (text: string) => boolean;
}

const BYTES_OF_RESULT = 200;
const BYTES_OF_LEAF = 16;

/** The tests of the values of one name. In a request, each distinct text is tested once. */
export class TestedTexts implements LeafResults {
  readonly leaves: ReadonlySet<number>;
  readonly passed: (readonly number[])[] = [[]];
  private readonly known = new Map([['', 0]]);
  private readonly wanted = new Map<Text, number[]>();
  private readonly searches: Search[] = [];
  /** The result of each text, by its code. */
  private table = new Uint32Array(0);
  /** The results of the numbers of the current part, and the table they are of. */
  private own: { codeOf: Codes; table: Uint32Array; results: Uint32Array } | undefined;
  private largestOwn = 0;
  private readonly work: WorkSteps;

  constructor(
    private readonly values: Values,
    tests: ReadonlyMap<number, Condition>,
    check: Check,
    private readonly memory: FilterMemory,
  ) {
    this.work = new WorkSteps(check);
    this.leaves = new Set(tests.keys());
    for (const [number, condition] of tests) this.add(number, condition);
  }

  in(view: BlockView): RowResults {
    const { values } = this;
    const { rows, codeOf } = view.ownCodes(values);
    // After the codes are known, because they may add texts.
    const table = this.upTo(view.values.of(values).texts);
    return {
      rows,
      results: codeOf ? this.ofOwn(codeOf, table) : table,
      areOfVisitors: isOfVisitors(values),
    };
  }

  private ofOwn(codeOf: Codes, table: Uint32Array): Uint32Array {
    if (this.own?.codeOf === codeOf && this.own.table === table) return this.own.results;
    this.memory.take(Uint32Array.BYTES_PER_ELEMENT * Math.max(0, codeOf.length - this.largestOwn));
    this.largestOwn = Math.max(codeOf.length, this.largestOwn);
    this.own = { codeOf, table, results: entriesOf(table, codeOf) };
    return this.own.results;
  }

  private add(number: number, { test, values }: Condition): void {
    if (test === 'is') {
      for (const value of new Set(values))
        this.wanted.set(value, [...(this.wanted.get(value) ?? []), number]);
      return;
    }
    this.searches.push({ number, passes: passingOne(test, values, (units) => this.work.take(units)) });
  }

  private upTo(texts: readonly Text[]): Uint32Array {
    const known = this.table.length;
    if (known >= texts.length) return this.table;
    this.memory.take(Uint32Array.BYTES_PER_ELEMENT * (texts.length - known));
    const table = new Uint32Array(texts.length);
    table.set(this.table);
    for (let code = known; code < table.length; code++) table[code] = this.resultOf(texts[code]!);
    return (this.table = table);
  }

  private resultOf(text: Text): number {
    this.work.take();
    const passed = [...(this.wanted.get(text) ?? []), ...this.found(text)];
    if (passed.length === 0) return 0;
    const key = passed.join();
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.memory.take(BYTES_OF_RESULT + BYTES_OF_LEAF * passed.length);
    this.known.set(key, this.passed.length);
    return this.passed.push(passed) - 1;
  }

  private found(text: Text): number[] {
    if (text === null) return [];
    return this.searches.filter(({ passes }) => passes(text)).map(({ number }) => number);
  }
}

function entriesOf(table: Uint32Array, places: Codes): Uint32Array {
  const entries = new Uint32Array(places.length);
  for (let index = 0; index < entries.length; index++) entries[index] = table[places[index]!]!;
  return entries;
}
