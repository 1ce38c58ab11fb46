import { NO_CONDITION } from '../../../../goals/conditions';
import type { Alert } from '../../../../goals/definitions';
import { type Draft, draftOf, draftText, fitting, kindsFor, ruleOf, sentenceOf, withKind } from './drafts';

const EMPTY = draftOf(undefined);
const draft = (fields: Partial<Draft>): Draft => ({ ...EMPTY, ...fields });
const alert = (fields: Partial<Alert>): Alert => ({
  ...{
    id: 1,
    name: 'a',
    metric: 'visitors',
    filters: [],
    condition: 'above',
    threshold: 500,
    within: 'hour',
  },
  ...{ quiet_hours: 24, mail: 1, recipients: [], webhook: 1, enabled: 1 },
  ...{ fired_at: null, fired_value: null, error: null },
  ...fields,
});
const ON_A_PAGE = { ...NO_CONDITION, text: '/pricing' };
const EITHER = [
  [
    'or',
    [
      ['is', 'page', ['/a']],
      ['is', 'country', ['DE']],
    ],
  ],
];

it.each<[Partial<Draft>, object]>([
  [{ threshold: '500' }, { metric: 'visitors', condition: 'above', threshold: 500, within: 'hour' }],
  [
    { condition: 'below', metric: 'visits', threshold: '10', within: 'day' },
    { metric: 'visits', condition: 'below', threshold: 10, within: 'day' },
  ],
  [
    { condition: 'rises', threshold: '200', within: 'day' },
    { metric: 'visitors', condition: 'rises', threshold: 200, within: 'hour' },
  ],
  [
    { condition: 'silent', threshold: '5' },
    { metric: 'events', condition: 'silent' },
  ],
])('%j has the fields of its condition alone', (fields, rule) =>
  expect(ruleOf(draft(fields))).toEqual({ ...rule, filters: [] }),
);

it.each<[Partial<Alert>, string]>([
  [{}, 'Visitors in an hour rise above 500'],
  [
    { condition: 'below', metric: 'pageviews', threshold: 1000, within: 'day' },
    'Page views in a day fall below 1,000',
  ],
  [{ condition: 'rises', threshold: 200 }, 'Visitors in an hour rise 200% above the usual'],
  [{ condition: 'falls', threshold: 50 }, 'Visitors in an hour fall 50% below the usual'],
  [{ condition: 'silent', metric: 'events', threshold: null, within: null }, 'No activity for 24 hours'],
  [{ metric: 'bounces' }, 'bounces in an hour rise above 500'],
  [{ filters: [['saved', 'Phones']] }, 'Visitors in an hour rise above 500 (Saved: Phones)'],
])('%j is a sentence', (fields, text) => expect(sentenceOf(alert(fields))).toBe(text));

it('says nothing before there is a number', () => {
  expect([draftText(EMPTY), draftText(draft({ condition: 'silent' }))]).toEqual([
    '',
    'No activity for 24 hours',
  ]);
  expect(draftText(draft({ threshold: '3', filter: ON_A_PAGE }))).toBe(
    'Visitors in an hour rise above 3 (Page is /pricing)',
  );
});

it.each<Pick<Alert, 'filters'>>([
  { filters: [] },
  { filters: [['saved', 'Phones']] },
  { filters: [['is', 'goal', ['Signup']]] },
  { filters: EITHER },
])('keeps of what is stored %j', ({ filters }) =>
  expect(ruleOf(draftOf(alert({ filters }))).filters).toEqual(filters),
);

it.each<[Partial<Draft>, readonly string[]]>([
  [{}, ['page', 'pattern', 'event', 'goal', 'saved']],
  [{ metric: 'events' }, ['event', 'goal', 'saved']],
  [{ condition: 'silent', metric: 'events' }, ['page', 'pattern', 'event', 'goal', 'saved']],
  [{ condition: 'silent', metric: 'conversions' }, ['page', 'pattern', 'event', 'goal', 'saved']],
  [{ metric: 'conversions' }, ['goal']],
  [{ metric: 'converters' }, ['goal']],
])('offers for %j the conditions that can be', (fields, kinds) =>
  expect(kindsFor(draft(fields))).toEqual(kinds),
);

it('has no filter that its metric cannot have', () => {
  const ofPage = draft({ filter: ON_A_PAGE, kept: EITHER });
  expect(fitting(ofPage)).toBe(ofPage);
  for (const metric of ['events', 'conversions'])
    expect(fitting({ ...ofPage, metric })).toEqual({ ...ofPage, metric, filter: undefined });
});

it('keeps stored filters until all hits are chosen', () => {
  const stored = draftOf(alert({ filters: EITHER }));
  const changed = { ...stored, ...withKind(stored, 'event') };
  expect([changed.filter?.kind, changed.kept]).toEqual(['event', EITHER]);
  expect(ruleOf({ ...changed, ...withKind(changed, 'kept') }).filters).toEqual(EITHER);
  expect(ruleOf({ ...changed, ...withKind(changed, 'all') }).filters).toEqual([]);
});
