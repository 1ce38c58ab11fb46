import { type Condition, conditionOf, conditionText, filterOf, filtersOf, NO_CONDITION } from './conditions';
import { asJson, type Filter } from '../statistics/filters/filters';

const page: Condition = { ...NO_CONDITION, text: '/thanks' };
const pattern: Condition = { ...NO_CONDITION, kind: 'pattern', match: 'ends', text: '.pdf' };
const event: Condition = { ...NO_CONDITION, kind: 'event', text: 'signup' };
const goal: Condition = { ...NO_CONDITION, kind: 'goal', text: 'Signup' };
const saved: Condition = { ...NO_CONDITION, kind: 'saved', text: 'Mobile' };
const withPlan: Condition = { ...event, property: 'plan' };
const withTeam: Condition = { ...withPlan, propertyValue: 'team' };

it('of pages are views, and not the events that pages send', () => {
  expect(filtersOf(page)).toEqual([
    ['is', 'page', ['/thanks']],
    ['is', 'event', [null]],
  ]);
});

it.each([page, pattern, event, goal, saved, withPlan, withTeam])('are what is stored: %j', (condition) =>
  expect(conditionOf(JSON.parse(JSON.stringify(filtersOf(condition))) as unknown[])).toEqual(condition),
);

it.each([
  [[]],
  [[['is', 'page', ['/a', '/b']]]],
  [[['is', 'page', ['/a']]]],
  [[['is', 'event', [null]]]],
  [[['is', 'country', ['DE']]]],
  [[['or', [['is', 'page', ['/a']]]]]],
  [[...filtersOf(withTeam), ['is', 'country', ['DE']]]],
  [[['is', 'event', ['signup']], 'nonsense']],
  [
    [
      ['is', 'goal', ['Signup']],
      ['is', 'event', [null]],
    ],
  ],
  [
    [
      ['saved', 'Mobile'],
      ['saved', 'Desktop'],
    ],
  ],
])('are of no form: %j', (filters) => expect(conditionOf(filters)).toBeUndefined());

it.each([
  [filtersOf(page), 'Page is /thanks'],
  [filtersOf(pattern), 'Page ends with .pdf'],
  [filtersOf(withTeam), 'Event is signup, plan is team'],
  [filtersOf(withPlan), 'Event is signup, with plan'],
  [filtersOf(saved), 'Saved: Mobile'],
  [
    [
      ['is', 'country', ['DE', 'FR']],
      ['saved', 'Mobile'],
    ],
    'Country is Germany or France, Saved: Mobile',
  ],
  [[['is', 'page', ['/a', '/b']]], 'Page is /a or /b'],
  [[['starts', 'entry_page', ['/a']]], 'Entry page begins with /a'],
  [[['not', ['is', 'country', ['DE']]]], '["not",["is","country",["DE"]]]'],
])('%j are shown in words', (filters, text) => expect(conditionText(filters)).toBe(text));

it.each<Filter>([
  { name: 'country', operator: 'is', values: ['DE', 'FR'] },
  { name: 'page', operator: 'is_not', values: ['/a'] },
  { name: 'goal', operator: 'is', values: ['Signup'] },
  { name: 'event_property:plan', operator: 'contains_not', values: ['te'] },
  { name: 'saved', operator: 'is', values: ['Mobile'] },
])('of the page are found again: %j', (filter) => expect(filterOf(asJson(filter))).toEqual(filter));

it.each([
  [['is', 'page', ['/a']]],
  [['has_done', ['is', 'country', ['DE']]]],
  [['is', 'country', [null]]],
  [['is', 'nothing', ['a']]],
  [['saved', 5]],
  ['saved'],
])('are not filters of the page: %j', (json) => expect(filterOf(json)).toBeUndefined());
