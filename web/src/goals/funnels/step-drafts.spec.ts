import type { Funnel } from '../definitions';
import { draftsOf, movedUp, stepsOf } from './step-drafts';

const funnel: Funnel = {
  ...{ id: 1, name: 'Order', order: 'open', within: 'visit' },
  steps: [
    { name: 'Shop', filters: [['starts', 'page', ['/shop']]] },
    { name: null, filters: [['is', 'event', ['order']]] },
    { name: null, filters: [['is', 'goal', ['Signup']]] },
  ],
};

it('are stored as they were, also in forms that the pages do not have', () =>
  expect(stepsOf(draftsOf(funnel))).toEqual(funnel.steps));

it('of a new funnel are two', () => expect(draftsOf(undefined)).toHaveLength(2));

it('without a name have none', () => {
  const [first, ...others] = draftsOf(funnel);
  expect(stepsOf([{ ...first!, name: '  ' }, ...others])[0]!.name).toBeNull();
});

it('move one place up', () => {
  const drafts = draftsOf(funnel);
  const keys = (index: number) =>
    movedUp(drafts, index).map(({ key }) => drafts.findIndex((one) => one.key === key));
  expect([0, 1, 2].map(keys)).toEqual([
    [0, 1, 2],
    [1, 0, 2],
    [0, 2, 1],
  ]);
});
