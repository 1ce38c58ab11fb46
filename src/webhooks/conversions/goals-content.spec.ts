import type { GoalConversions } from '../../../engine/questions/conversions-request';
import { addedUp, goalsContent } from './goals-content';

const NONE: GoalConversions = { conversions: 0, values: [], latest: [] };
const RANGE = { from: 0, to: 60_000 };
const goal = (value: string | null, currency: string | null = null) => ({
  id: 1,
  name: 'Signup',
  value,
  currency,
});
const contentOf = (...parameters: Parameters<typeof goalsContent>) =>
  goalsContent(...parameters) as { goals: Record<string, unknown>[] } | undefined;
const hit = (at: number) => ({ at, page: '/', event: null, country: null, referrer: null });

it('is undefined where no goal was reached', () =>
  expect(contentOf([goal(null)], [NONE], RANGE)).toBeUndefined());

it.each([
  ['the value of the goal for each', goal('20.50', 'EUR'), [['USD', '10000']], '61.5', 'EUR'],
  ['a value of the goal without end', goal('99999999999.9999', 'EUR'), [], '299999999999.9997', 'EUR'],
  ['the values of the events', goal(null), [['EUR', '-5000']], '-0.5', 'EUR'],
  [
    'none of several currencies',
    goal(null),
    [
      ['EUR', '1'],
      ['USD', '1'],
    ],
    null,
    null,
  ],
  ['none without values', goal(null), [], null, null],
] as const)('has %s', (_, own, values, value, currency) => {
  const found: GoalConversions = { conversions: 3, values, latest: [] };
  expect(contentOf([own], [found], RANGE)!.goals).toEqual([
    { id: 1, name: 'Signup', conversions: 3, value, currency, latest: [] },
  ]);
});

it('adds readings up: conversions, values by currency, and the latest 20 hits', () => {
  const first = { conversions: 15, values: [['EUR', '1']] as const, latest: [30, 20, 10].map(hit) };
  const second = {
    conversions: 25,
    values: [
      ['EUR', '2'],
      ['USD', '3'],
    ] as const,
    latest: Array.from({ length: 20 }, (_, index) => hit(25 - index)),
  };
  const [sum] = addedUp([first], [second]);
  expect(sum).toMatchObject({
    conversions: 40,
    values: [
      ['EUR', '3'],
      ['USD', '3'],
    ],
  });
  expect(sum!.latest.map(({ at }) => at)).toEqual([
    30,
    25,
    24,
    23,
    22,
    21,
    20,
    20,
    ...[19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 10, 9],
  ]);
});
