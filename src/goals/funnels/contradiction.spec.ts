import type { FilterJson } from '../../stats/queries/parse/filter';
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
    ['contains', 'page', ['a']],
    ['is', 'page', ['/b']],
  ],
];

it.each(POSSIBLE.map((filters) => [filters]))('finds none in %j', (filters) => {
  expect(contradictionIn(filters)).toBeUndefined();
});
