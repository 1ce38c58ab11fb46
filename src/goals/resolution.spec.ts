import fc from 'fast-check';
import { InvalidFields } from '../../engine/ground/errors';
import type { FilterJson, ResolvedFilter } from '../../engine/questions/parse/filter';
import { COMPARISONS, type Operator, OPERATORS } from '../../engine/questions/filter-operators';
import {
  type GoalDefinition,
  isResolved,
  needsDefinitions,
  resolve,
  type WebsiteDefinitions,
} from './resolution';

type Pages = Record<string, ResolvedFilter[]>;

const page = (...pages: string[]): ResolvedFilter => ['is', 'page', pages];
const goalOf = ([name, filters]: [string, ResolvedFilter[]]): GoalDefinition => ({
  ...{ name, filters, value: null, currency: null },
});
const definitionsOf = (goals: Pages, saved: Record<string, FilterJson[]> = {}): WebsiteDefinitions => ({
  goals: Object.entries(goals).map(goalOf),
  saved: new Map(Object.entries(saved)),
});

const GOALS = definitionsOf({ Signup: [page('/thanks')], Sale: [page('/paid'), ['is', 'device', ['tv']]] });

function problemsOf(filters: FilterJson[], definitions: WebsiteDefinitions, more = {}) {
  try {
    return { resolved: resolve(filters, definitions, 'filters', more) };
  } catch (error) {
    return (error as InvalidFields).errors;
  }
}

describe('filters', () => {
  it.each<[FilterJson, ResolvedFilter]>([
    [page('/'), page('/')],
    [['is', 'goal', ['Signup']], page('/thanks')],
    [
      ['is', 'goal', ['Sale', 'Signup']],
      ['or', [page('/thanks'), ['and', [page('/paid'), ['is', 'device', ['tv']]]]]],
    ],
    [
      ['is_not', 'goal', ['Signup']],
      ['not', page('/thanks')],
    ],
    [['starts', 'goal', ['SIGN']], page('/thanks')],
    [
      ['contains', 'goal', ['nothing']],
      ['or', []],
    ],
    [
      ['contains_not', 'goal', ['nothing']],
      ['not', ['or', []]],
    ],
    [
      ['has_done', ['is', 'goal', ['Signup']]],
      ['has_done', page('/thanks')],
    ],
  ])('%j are written out', (filter, resolved) => {
    expect(resolve([filter], GOALS, 'filters')).toEqual([resolved]);
  });

  it('need definitions only if a goal or a saved filter is in them', () => {
    expect(isResolved([['not', ['or', [page('/')]]]])).toBe(true);
    expect(needsDefinitions([['not', ['has_done', ['is', 'goal', ['Signup']]]]])).toBe(true);
    expect(needsDefinitions([['and', [['or', [['saved', 'a']]]]]])).toBe(true);
  });
});

describe('a name that the website does not have', () => {
  it.each<[FilterJson, string, string]>([
    [['is', 'goal', ['Signup', 'signup']], 'filters.1.2.1', 'has no goal "signup"'],
    [['not', ['or', [['is_not', 'goal', ['']]]]], 'filters.1.1.1.0.2.0', 'has no goal ""'],
    [['has_done', ['saved', 'x'.repeat(70)]], 'filters.1.1.1', `has no saved filter "${'x'.repeat(60)}…"`],
    [['saved', '__proto__'], 'filters.1.1', 'has no saved filter "__proto__"'],
  ])('in %j has a place', (filter, place, problem) => {
    expect(problemsOf([page('/'), filter], GOALS)).toEqual({ [place]: [problem] });
  });

  it('has the place of the text, and of the saved filter around it', () => {
    const definitions = definitionsOf({}, { a: [page('/'), ['is', 'goal', ['gone']]] });
    expect(problemsOf([['is', 'goal', ['no']]], GOALS, { asText: true })).toEqual({
      filters: ['has no goal "no"'],
    });
    expect(problemsOf([page('/'), ['saved', 'a']], definitions)).toEqual({
      'filters.1.1': ['has no goal "gone"'],
    });
  });
});

describe('saved filters', () => {
  const chain = definitionsOf(
    {},
    { a: [['saved', 'b']], b: [['saved', 'c']], c: [page('/c')], d: [['saved', 'a']], e: [['saved', 'e']] },
  );

  it('are three deep at most', () => {
    expect(resolve([['not', ['saved', 'a']]], chain, '')).toEqual([['not', page('/c')]]);
    expect(problemsOf([['not', ['saved', 'd']]], chain)).toEqual({
      'filters.0.1.1': ['is more than 3 saved filters deep: "d" → "a" → "b" → "c"'],
    });
    expect(problemsOf(chain.saved.get('a')!, chain, { savedAs: 'a' })).toHaveProperty('resolved');
    expect(problemsOf(chain.saved.get('d')!, chain, { savedAs: 'd' })).toHaveProperty(['filters.0.1']);
  });

  it('do not contain themselves', () => {
    const circle = definitionsOf({}, { a: [['saved', 'b']], b: [['not', ['saved', 'a']]] });
    expect(problemsOf(circle.saved.get('a')!, circle, { savedAs: 'a' })).toEqual({
      'filters.0.1': ['contains itself: "a" → "b" → "a"'],
    });
    expect(problemsOf([['saved', 'e']], chain)).toEqual({ 'filters.0.1': ['contains itself: "e" → "e"'] });
  });
});

describe('what filters stand for is limited', () => {
  const many = (of: number, values = 1) =>
    Array.from({ length: of }, (_, index) => page(...Array<string>(values).fill(`/${index}`)));
  const within = (filters: FilterJson[], goals: Pages) => problemsOf(filters, definitionsOf(goals));
  const tooMany = (what: string) => ({
    filters: [`must have at most ${what}, with what its goals and saved filters stand for`],
  });

  it('to 100 conditions', () => {
    const goals = { a: many(50), b: many(50) };
    expect(within([['contains', 'goal', ['a', 'b']]], goals)).toHaveProperty('resolved');
    expect(within([['contains', 'goal', ['a', 'b']], page('/')], goals)).toEqual(tooMany('100 conditions'));
  });

  it('to 1,000 values', () => {
    const goals = { a: many(10, 100) };
    expect(within([['is', 'goal', ['a']]], goals)).toHaveProperty('resolved');
    expect(within([['is', 'goal', ['a']], page('/')], goals)).toEqual(tooMany('1000 values'));
  });

  it('to 1,000 names of goals', () => {
    const saved = { a: [['contains', 'goal', Array<string>(500).fill('x')]] as FilterJson[] };
    const named = (times: number) => Array<FilterJson>(times).fill(['saved', 'a']);
    const definitions = definitionsOf({ b: many(1) }, saved);
    expect(problemsOf(named(2), definitions)).toHaveProperty('resolved');
    expect(problemsOf(named(3), definitions)).toEqual(tooMany('1000 names of goals'));
  });

  it('to 20 levels', () => {
    const nested = (levels: number) => {
      let filter: ResolvedFilter = page('/');
      for (let level = 1; level < levels; level++) filter = ['not', filter];
      return filter;
    };
    const goals = { a: [nested(19)], b: [nested(20)] };
    expect(within([['is', 'goal', ['a']]], goals)).toHaveProperty('resolved');
    expect(within([['is', 'goal', ['b']]], goals)).toEqual(tooMany('20 levels'));
  });

  it('however often each is contained', () => {
    const saved = { a: many(100), b: Array<FilterJson>(100).fill(['saved', 'a']) };
    const filters = Array<FilterJson>(100).fill(['saved', 'b']);
    expect(problemsOf(filters, definitionsOf({}, saved))).toEqual(tooMany('100 conditions'));
    const ofNothing = { ...saved, a: Array<FilterJson>(100).fill(['is', 'goal', [null]]) };
    expect(problemsOf(filters, definitionsOf({}, ofNothing))).toEqual(tooMany('100 conditions'));
  });
});

/** The hits of a visitor of a day, each with the conditions that are true of it. */
type Visitor = ReadonlySet<string>[];

const CONDITIONS = ['/a', '/b', '/c'];
const GOAL_NAMES = ['Signup', 'sign-off', 'Sale'];
const SAVED_NAMES = ['one', 'two', 'three'];

/** What filters mean, without writing them out. */
function holds(filter: FilterJson, hit: Visitor[number], visitor: Visitor, by: WebsiteDefinitions): boolean {
  const every = (filters: readonly FilterJson[]) => filters.every((one) => holds(one, hit, visitor, by));
  switch (filter[0]) {
    case 'saved':
      return every(by.saved.get(filter[1])!);
    case 'and':
      return every(filter[1]);
    case 'or':
      return filter[1].some((one) => holds(one, hit, visitor, by));
    case 'not':
      return !holds(filter[1], hit, visitor, by);
    case 'has_done':
    case 'has_not_done':
      return visitor.some((other) => holds(filter[1], other, visitor, by)) === (filter[0] === 'has_done');
    default: {
      const [operator, name, values] = filter;
      if (name !== 'goal') return values.some((value) => hit.has(value!));
      const reached = by.goals.filter(({ filters }) => every(filters)).map((goal) => goal.name);
      return isOneOf(operator, reached, values);
    }
  }
}

function isOneOf(operator: Operator, reached: string[], values: (string | null)[]): boolean {
  const { test, negated } = OPERATORS[operator];
  const passes = values.some((value) => {
    if (value === null) return reached.length === 0;
    if (test === 'is') return reached.includes(value);
    return reached.some((name) => COMPARISONS[test](value.toLowerCase())(name.toLowerCase()));
  });
  return passes !== negated;
}

const condition = fc.constantFrom(...CONDITIONS).map((value): ResolvedFilter => page(value));
const onGoals = fc.oneof(
  fc.tuple(
    fc.constantFrom('is' as const, 'is_not' as const),
    fc.constant('goal' as const),
    fc.array(fc.constantFrom(...GOAL_NAMES, null), { minLength: 1, maxLength: 3 }),
  ),
  fc.tuple(
    fc.constantFrom('contains' as const, 'contains_not' as const, 'starts' as const, 'ends' as const),
    fc.constant('goal' as const),
    fc.array(fc.constantFrom('s', 'SIGN', 'off', 'e', '?'), { minLength: 1, maxLength: 2 }),
  ),
);

function filterOf(leaf: fc.Arbitrary<FilterJson>): fc.Arbitrary<FilterJson> {
  return fc.letrec<{ filter: FilterJson }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('filter'), { maxLength: 2 })),
      fc.tuple(fc.constantFrom('not' as const, 'has_done' as const, 'has_not_done' as const), tie('filter')),
    ),
  })).filter;
}

const list = <F>(filter: fc.Arbitrary<F>) => fc.array(filter, { minLength: 1, maxLength: 2 });
const ofHits = list(filterOf(condition)) as fc.Arbitrary<ResolvedFilter[]>;
/** Each contains those behind it. */
const savedAmong = (names: string[]) =>
  list(
    filterOf(
      names.length === 0
        ? fc.oneof(condition, onGoals)
        : fc.oneof(
            condition,
            onGoals,
            fc.constantFrom(...names).map((name): FilterJson => ['saved', name]),
          ),
    ),
  );

it('select what they mean, whatever they contain', () => {
  const goals = fc.tuple(...GOAL_NAMES.map((name) => ofHits.map((filters) => goalOf([name, filters]))));
  const saved = fc.tuple(...SAVED_NAMES.map((_, index) => savedAmong(SAVED_NAMES.slice(index + 1))));
  const visitor = fc.array(
    fc.subarray(CONDITIONS).map((conditions) => new Set(conditions)),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(goals, saved, savedAmong(SAVED_NAMES), visitor, (own, filtersOf, filters, hits) => {
      const definitions: WebsiteDefinitions = {
        goals: own,
        saved: new Map(filtersOf.map((one, index) => [SAVED_NAMES[index]!, one])),
      };
      const found = problemsOf(filters, definitions);
      if (!found || !('resolved' in found)) return expect(JSON.stringify(found)).toContain('at most');
      const resolved = found.resolved as ResolvedFilter[];
      expect(isResolved(resolved)).toBe(true);
      for (const hit of hits)
        expect(resolved.every((one) => holds(one, hit, hits, definitions))).toBe(
          filters.every((one) => holds(one, hit, hits, definitions)),
        );
    }),
    { numRuns: 500 },
  );
});
