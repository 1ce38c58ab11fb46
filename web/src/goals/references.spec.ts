import type { Funnel, SavedFilter } from './definitions';
import { referencesTo } from './references';

const saved = (id: number, name: string, ...filters: unknown[]): SavedFilter => ({
  id,
  name,
  filters,
  shared: 0,
});
const funnel = (id: number, name: string, ...filters: unknown[]): Funnel => ({
  ...{ id, name, order: 'open', within: 'visit' },
  steps: [
    { name: null, filters: [['is', 'page', ['/']]] },
    { name: null, filters },
  ],
});

const DONE = ['has_done', ['is', 'goal', ['Signup', 'Order']]];

it('are found through saved filters, those that others refer to last', () => {
  const all = [
    saved(1, 'c', ['saved', 'b']),
    saved(2, 'a', ['or', [DONE, ['is', 'country', ['DE']]]]),
    saved(3, 'b', ['not', ['saved', 'a']]),
    saved(4, 'other', ['is', 'page', ['Signup']]),
  ];
  const funnels = [funnel(1, 'x', ['saved', 'c']), funnel(2, 'y', ['saved', 'other']), funnel(3, 'z', DONE)];
  const { saved: found, funnels: inFunnels } = referencesTo('Signup', all, funnels);
  expect(found.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  expect(inFunnels.map(({ name }) => name)).toEqual(['x', 'z']);
});

it('are only those that name the goal itself', () => {
  const all = [
    saved(1, 'part', ['contains', 'goal', ['Signup']]),
    saved(2, 'unset', ['is', 'goal', [null]]),
    saved(3, 'another', ['is', 'goal', ['Order']]),
    saved(4, 'as a saved one', ['saved', 'Signup']),
  ];
  expect(referencesTo('Signup', all, [])).toEqual({ saved: [], funnels: [] });
});
