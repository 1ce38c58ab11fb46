import type { Alert, Funnel, SavedFilter } from './definitions';
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

const alert = (name: string, ...filters: unknown[]) => ({ name, filters }) as unknown as Alert;

const DONE = ['has_done', ['is', 'goal', ['Signup', 'Order']]];

it('are found through saved filters, those that others refer to last', () => {
  const all = [
    saved(1, 'c', ['saved', 'b']),
    saved(2, 'a', ['or', [DONE, ['is', 'country', ['DE']]]]),
    saved(3, 'b', ['not', ['saved', 'a']]),
    saved(4, 'other', ['is', 'page', ['Signup']]),
  ];
  const funnels = [funnel(1, 'x', ['saved', 'c']), funnel(2, 'y', ['saved', 'other']), funnel(3, 'z', DONE)];
  const alerts = [alert('up', ['saved', 'b']), alert('down', ['is', 'page', ['/']]), alert('none')];
  const found = referencesTo('Signup', { saved: all, funnels, alerts });
  const namesOf = (kind: keyof typeof found) => found[kind].map(({ name }) => name);
  expect([namesOf('saved'), namesOf('funnels'), namesOf('alerts')]).toEqual([
    ['c', 'b', 'a'],
    ['x', 'z'],
    ['up'],
  ]);
});

it('are only those that name the goal itself', () => {
  const all = [
    saved(1, 'part', ['contains', 'goal', ['Signup']]),
    saved(2, 'unset', ['is', 'goal', [null]]),
    saved(3, 'another', ['is', 'goal', ['Order']]),
    saved(4, 'as a saved one', ['saved', 'Signup']),
  ];
  const none = { alerts: [], funnels: [] };
  expect(referencesTo('Signup', { ...none, saved: all })).toEqual({ ...none, saved: [] });
});
