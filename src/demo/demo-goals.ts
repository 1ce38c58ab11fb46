import type { StoreGoal } from '../goals/goals/goal.dto';

/** A page, an event, and an event with a property, each of them worth the same. */
export const DEMO_GOALS: StoreGoal[] = [
  {
    name: 'Pricing viewed',
    filters: [
      ['is', 'page', ['/pricing']],
      ['is', 'event', [null]],
    ],
  },
  { name: 'Signed up', filters: [['is', 'event', ['signup']]] },
  {
    name: 'Team plan bought',
    filters: [
      ['is', 'event', ['purchase']],
      ['is', 'event_property:plan', ['team']],
    ],
    value: '49',
    currency: 'EUR',
  },
];
