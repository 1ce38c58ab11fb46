import type { StoreAnnotation } from '../annotations/annotation.dto';
import { dayText } from '../../engine/ground/time/days';
import type { StoreFunnel } from '../goals/funnels/funnel.dto';
import type { StoreGoal } from '../goals/goals/goal.dto';
import { launchIn } from './demo-calendar';

/** The events on the page, like how far it was scrolled, are left out. */
const PRICING_VIEWED: StoreGoal['filters'] = [
  ['is', 'page', ['/pricing']],
  ['is', 'event', [null]],
];

/** A page, an event, and an event with a property, each of them worth the same. */
export const DEMO_GOALS: StoreGoal[] = [
  {
    name: 'Pricing viewed',
    filters: PRICING_VIEWED,
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

/** It contains a goal. */
export const DEMO_FUNNEL: StoreFunnel = {
  name: 'From any page to signup',
  within: 'day',
  steps: [
    { name: 'Any page', filters: [['is', 'event', [null]]] },
    { name: 'Pricing', filters: PRICING_VIEWED },
    { name: 'Signup', filters: [['is', 'goal', ['Signed up']]] },
  ],
};

/** A moment and two days, one of which viewers of the shared page do not see. */
export function demoAnnotations(days: readonly number[]): StoreAnnotation[] {
  const dayAt = (share: number) => dayText(days[Math.floor(days.length * share)]!);
  return [
    { at: dayAt(0.2), text: 'Moved to a faster server', public: 0 },
    { at: `${dayAt(0.5)}T09:30:00Z`, text: 'Newsletter sent', public: 1 },
    { at: dayText(launchIn(days)), text: 'Version 2 released', public: 1 },
  ];
}
