import type { QueriesAnswer } from '../../shared/api';
import type { Places } from '../../statistics/page-answer';
import type { Goal } from '../definitions';
import { goalRows, goalsQuery } from './goal-rows';

const SPAN = { from: '2026-03-02', to: '2026-03-08' };
const EARLIER = ['2026-02-23', '2026-03-01'];
const places = { query: 'query', headers: { token: 'x' } } as unknown as Places;
const goal = (name: string, currency: string | null = null): Goal => ({
  ...{ id: 1, name, filters: [], currency, value: currency && '5' },
});
const listOf = (dimensions: string[], ...data: object[]) => ({ data, meta: { dimensions } });
const KEPT_SINCE = { code: 'kept_since', detail: '' };
const answerOf = (...data: object[]) => ({ data }) as unknown as QueriesAnswer;

function queriesFor(goals: Goal[] | undefined, earlier: readonly string[] | undefined) {
  const { body } = goalsQuery({ places, span: SPAN, filters: [], earlier, goals });
  return (body as { queries: { metrics: string[]; dimensions: string[]; range: string[] }[] }).queries;
}

it('asks for what the reader may see, in one request', () => {
  expect(queriesFor(undefined, undefined).map(({ metrics }) => metrics)).toEqual([
    ['conversions', 'converters', 'conversion_rate'],
  ]);
  const both = queriesFor([goal('a'), goal('b', 'EUR')], EARLIER);
  expect(both.map(({ dimensions, range }) => [dimensions, range])).toEqual([
    [['goal'], ['2026-03-02', '2026-03-08']],
    [['goal'], EARLIER],
    [
      ['goal', 'currency'],
      ['2026-03-02', '2026-03-08'],
    ],
  ]);
  expect(both[0]!.metrics).toContain('value');
  expect(queriesFor([goal('b', 'EUR')], undefined)).toHaveLength(1);
});

it('lists all goals, with values in their own or their events’ currencies, and what was before', () => {
  const goals = [goal('Signup'), goal('Order', 'EUR'), goal('Never')];
  const answer = answerOf(
    listOf(
      ['goal'],
      { goal: 'Order', conversions: 3, converters: 2, conversion_rate: 0.2, value: '15' },
      { goal: 'Signup', conversions: 7, converters: 7, conversion_rate: null, value: null },
    ),
    listOf(['goal'], { goal: 'Order', conversions: 6 }),
    listOf(
      ['goal', 'currency'],
      { goal: 'Signup', currency: 'USD', value: '12.5' },
      { goal: 'Signup', currency: 'EUR', value: '1' },
      { goal: 'Order', currency: 'USD', value: '99' },
    ),
  );
  expect(goalRows(goals, answer)).toEqual([
    {
      ...{ name: 'Signup', conversions: 7, converters: 7, rate: undefined, before: 0 },
      values: [
        { currency: 'USD', amount: '12.5' },
        { currency: 'EUR', amount: '1' },
      ],
    },
    {
      ...{ name: 'Order', conversions: 3, converters: 2, rate: 0.2, before: 6 },
      values: [{ currency: 'EUR', amount: '15' }],
    },
    { name: 'Never', conversions: 0, converters: 0, rate: undefined, values: [], before: 0 },
  ]);
});

it('compares with no range whose hits are no longer stored', () => {
  const now = listOf(['goal'], { goal: 'a', conversions: 1, converters: 1, conversion_rate: 1 });
  const before = { data: [], meta: { dimensions: ['goal'], warnings: [KEPT_SINCE] } };
  expect(goalRows(undefined, answerOf(now, before))[0]!.before).toBeUndefined();
});

it('lists for other readers the goals that were reached', () => {
  const answer = answerOf(listOf(['goal'], { goal: 'a', conversions: 1, converters: 1, conversion_rate: 1 }));
  expect(goalRows(undefined, answer)).toEqual([
    { name: 'a', conversions: 1, converters: 1, rate: 1, values: [], before: undefined },
  ]);
});
