import fc from 'fast-check';
import { foldCase } from '../../../engine/ground/text-search';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { contradictionIn } from './contradiction';

const CONTRADICTIONS: [place: string, filters: FilterJson[]][] = [
  [
    '.1',
    [
      ['is', 'page', ['/a']],
      ['is', 'page', ['/b', '/c']],
    ],
  ],
  [
    '.1',
    [
      ['is_not', 'event', ['signup', null]],
      ['is', 'event', ['signup', null]],
    ],
  ],
  [
    '.0.1.1',
    [
      [
        'and',
        [
          ['is', 'country', ['DE']],
          ['is', 'country', ['FR']],
        ],
      ],
    ],
  ],
  [
    '.1.1',
    [
      ['is', 'event_property:plan', ['team']],
      ['not', ['is', 'event_property:plan', ['team', 'pro']]],
    ],
  ],
  [
    '.2',
    [
      ['is', 'page', ['/a', '/b']],
      ['is', 'page', ['/b', '/c']],
      ['is', 'page', ['/a', '/c']],
    ],
  ],
  [
    '.2',
    [
      ['is', 'page', ['/a', '/b']],
      ['is_not', 'page', ['/a']],
      ['is_not', 'page', ['/b']],
    ],
  ],
  [
    '.1',
    [
      ['contains_not', 'page', ['DOCS']],
      ['is', 'page', ['/docs', '/Docs/a']],
    ],
  ],
  [
    '.1',
    [
      ['starts', 'page', ['/blog']],
      ['starts', 'page', ['/docs', '/help']],
    ],
  ],
  [
    '.2',
    [
      ['ends', 'page', ['.html', '.htm']],
      ['not', ['ends', 'page', ['html']]],
      ['contains_not', 'page', ['htm']],
    ],
  ],
  [
    '.1.1.1.0',
    [
      ['contains', 'event', ['sign']],
      ['not', ['or', [['contains', 'event', ['ig']]]]],
    ].map((one) => one as FilterJson),
  ],
  [
    '.0',
    [
      [
        'or',
        [
          ['is', 'page', ['/a']],
          ['starts', 'page', ['/a/']],
        ],
      ],
      ['is', 'page', ['/b']],
    ],
  ],
  [
    '.0',
    [
      [
        'has_done',
        [
          'and',
          [
            ['is', 'page', ['/a']],
            ['is', 'page', ['/b']],
          ],
        ],
      ],
    ],
  ],
];

it.each(CONTRADICTIONS)('finds it at %s', (place, filters) => {
  expect(contradictionIn(filters)).toBe(place);
});

const POSSIBLE: FilterJson[][] = [
  [],
  [['is', 'page', ['/a']]],
  [
    ['is', 'page', ['/a', '/b']],
    ['is', 'page', ['/b']],
    ['is_not', 'page', ['/a']],
  ],
  // A visitor may bring several.
  [
    ['is', 'referrer', ['a.example']],
    ['is', 'referrer', ['b.example']],
  ],
  // A hit may reach several goals.
  [
    ['is', 'goal', ['A']],
    ['is', 'goal', ['B']],
  ],
  [
    [
      'or',
      [
        ['is', 'page', ['/a']],
        ['is', 'page', ['/b']],
      ],
    ],
    ['is', 'page', ['/b']],
  ],
  [
    ['has_done', ['is', 'page', ['/a']]],
    ['is', 'page', ['/b']],
  ],
  [
    ['saved', 'X'],
    ['is', 'page', ['/b']],
  ],
  [
    ['starts', 'page', ['/docs']],
    ['starts', 'page', ['/docs/a', '/b']],
    ['contains_not', 'page', ['b']],
  ],
  [
    ['starts', 'page', ['/a']],
    ['ends', 'page', ['b']],
    ['is_not', 'page', ['/ab']],
  ],
  // There may be such a goal later.
  [
    ['or', []],
    ['is', 'page', ['/a']],
  ].map((one) => one as FilterJson),
  [
    ['has_not_done', ['is', 'page', ['/a']]],
    ['contains', 'page', ['b']],
  ],
  [
    ['contains', 'campaign', ['a']],
    ['contains_not', 'campaign', ['a']],
  ],
];

it.each(POSSIBLE.map((filters) => [filters]))('finds none in %j', (filters) => {
  expect(contradictionIn(filters)).toBeUndefined();
});

describe('beside all values that a hit can have', () => {
  const LETTERS = ['a', 'b', 'A', '#'];
  const LONGEST = 5;
  const VALUES = [null, ...textsUpTo(LONGEST)];
  const part = fc
    .array(fc.constantFrom('a', 'b', 'A'), { minLength: 1, maxLength: 2 })
    .map((all) => all.join(''));
  const ofTexts = fc.tuple(
    fc.constantFrom('contains', 'contains_not', 'starts', 'ends'),
    fc.constant('page'),
    fc.array(part, { minLength: 1, maxLength: 2 }),
  );
  const listed = fc.tuple(
    fc.constantFrom('is', 'is_not'),
    fc.constant('page'),
    fc.array(fc.option(part), { minLength: 1, maxLength: 3 }),
  );
  const negatable = (condition: fc.Arbitrary<unknown>) =>
    fc.oneof(
      { weight: 3, arbitrary: condition },
      condition.map((one) => ['not', one]),
    ) as fc.Arbitrary<FilterJson>;

  it('finds every contradiction of a few conditions, and no other', () => {
    const few = fc
      .tuple(
        fc.array(negatable(ofTexts), { maxLength: 2 }),
        fc.array(negatable(listed), { maxLength: 3 }),
        fc.boolean(),
      )
      .map(([texts, lists, isTextFirst]) => (isTextFirst ? [...texts, ...lists] : [...lists, ...texts]));
    let found = 0;
    fc.assert(
      fc.property(few, (filters) => {
        const isFound = contradictionIn(filters) !== undefined;
        found += Number(isFound);
        expect([filters, isFound]).toEqual([filters, !VALUES.some((value) => meetsAll(filters, value))]);
      }),
      { numRuns: 2000 },
    );
    expect(found).toBeGreaterThan(100);
  });

  it('finds nothing that some value meets, however filters are nested', () => {
    const { nested } = fc.letrec<{ nested: FilterJson }>((tie) => ({
      nested: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        negatable(fc.oneof(ofTexts, listed)),
        fc
          .tuple(fc.constantFrom('and', 'or'), fc.array(tie('nested'), { minLength: 1, maxLength: 3 }))
          .map((one) => one as FilterJson),
        fc.tuple(fc.constant('not'), tie('nested')).map((one) => one as FilterJson),
      ),
    }));
    let found = 0;
    fc.assert(
      fc.property(fc.array(nested, { maxLength: 4 }), (filters) => {
        const place = contradictionIn(filters);
        if (place === undefined) return;
        found++;
        expect([filters, VALUES.find((value) => meetsAll(filters, value))]).toEqual([filters, undefined]);
      }),
      { numRuns: 2000 },
    );
    expect(found).toBeGreaterThan(100);
  });

  function textsUpTo(length: number): string[] {
    if (length === 0) return [];
    const shorter = textsUpTo(length - 1);
    const longest = length === 1 ? [''] : shorter.filter((text) => text.length === length - 1);
    return [...shorter, ...longest.flatMap((text) => LETTERS.map((letter) => text + letter))];
  }

  function meetsAll(filters: readonly FilterJson[], value: string | null): boolean {
    return filters.every((filter) => meets(filter, value));
  }

  function meets(filter: FilterJson, value: string | null): boolean {
    if (filter[0] === 'and') return meetsAll(filter[1], value);
    if (filter[0] === 'or') return filter[1].some((one) => meets(one, value));
    if (filter[0] === 'not') return !meets(filter[1], value);
    const [operator, , values] = filter as [string, string, (string | null)[]];
    const has = (compare: (text: string, own: string) => boolean) =>
      value !== null && values.some((own) => compare(foldCase(value), foldCase(own!)));
    switch (operator) {
      case 'is':
        return values.includes(value);
      case 'is_not':
        return !values.includes(value);
      case 'starts':
        return has((text, own) => text.startsWith(own));
      case 'ends':
        return has((text, own) => text.endsWith(own));
      default:
        return has((text, own) => text.includes(own)) === (operator === 'contains');
    }
  }
});

it('leaves open what would take long to find out', () => {
  const texts = Array.from({ length: 10 }, (_, number) => 'a'.repeat(12_000) + number);
  const parts = Array.from({ length: 20 }, (_, number) => `${'a'.repeat(3000)}b${'a'.repeat(3000)}${number}`);
  expect(
    contradictionIn([
      ['is', 'page', texts],
      ['contains', 'page', parts],
    ]),
  ).toBeUndefined();
  // Fewer of them are compared.
  expect(
    contradictionIn([
      ['is', 'page', texts.slice(0, 2)],
      ['contains', 'page', parts.slice(0, 2)],
    ]),
  ).toBe('.1');
});
