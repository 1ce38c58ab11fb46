import {
  asJson,
  type Filter,
  filtersIn,
  leavesFiltersOut,
  mayAdd,
  plus,
  queryFilters,
  type Reader,
  replaced,
  withFilters,
} from './filters';
import type { Name } from '../../shared/names';

const read = (...parts: string[]) => filtersIn(new URLSearchParams(parts.map((part) => ['f', part])));
const GERMANY: Filter = { name: 'country', operator: 'is', values: ['DE'] };
const NOT_GERMANY: Filter = { ...GERMANY, operator: 'is_not' };
const EUROPE: Filter = { ...GERMANY, values: ['DE', 'FR', 'AT'] };
const TEAM: Filter = { name: 'event_property:a:b %', operator: 'is', values: ['x:y'] };
const PRICING: Filter = { name: 'page', operator: 'is', values: ['/pricing?a=1:2'] };

it('are in the address, with any values', () => {
  expect(read(...withFilters([GERMANY, PRICING, TEAM]).f)).toEqual([GERMANY, PRICING, TEAM]);
});

it('have several values, in the order of the address', () => {
  expect(withFilters([EUROPE]).f).toEqual(['is:country:DE', 'or:FR', 'or:AT']);
  expect(read(...withFilters([EUROPE, PRICING]).f)).toEqual([EUROPE, PRICING]);
  expect(read('is:page:/', 'or:or:/a', 'or:/', 'or:')).toEqual([
    { name: 'page', operator: 'is', values: ['/', 'or:/a'] },
  ]);
});

it('that are left out are noticed', () => {
  const isUnknown = (f: string) => leavesFiltersOut(new URLSearchParams({ f }));
  const known = ['is:page:/', 'contains_not:country:D', 'saved:Mine', 'is:event_property:a:b'];
  const unknown = [
    'zzz',
    'was:page:/',
    'is:nothing:1',
    'is:page:',
    'is:event_properties:a',
    'saved:',
    'or:FR',
  ];
  expect([known.map(isUnknown), unknown.map(isUnknown)]).toEqual([
    known.map(() => false),
    unknown.map(() => true),
  ]);
});

it('stay as they were in older addresses', () =>
  expect(read('is:country:DE', 'is:country:FR', 'is:page:/a,b')).toEqual([
    GERMANY,
    { ...GERMANY, values: ['FR'] },
    { ...PRICING, values: ['/a,b'] },
  ]));

it('lose the further values of what is not a filter', () => {
  expect(read('or:DE', 'is:nothing:DE', 'or:FR', 'is:country:DE')).toEqual([GERMANY]);
  const many = Array.from({ length: 30 }, (_, index) => `or:${index}`);
  expect(read('is:country:DE', ...many)[0]!.values).toHaveLength(20);
});

const BROKEN = [
  '',
  'is',
  'is:country',
  'is:country:',
  'is:nothing:DE',
  'like:country:DE',
  'is:constructor:x',
];
const BROKEN_PROPERTIES = [
  'is:event_property:a',
  'is:event_property::a',
  'is:event_property:%zz:a',
  'is:event_properties:[]',
];

it.each([...BROKEN, ...BROKEN_PROPERTIES])('are left out if "%s" is not a filter', (text) =>
  expect(read(text)).toEqual([]),
);

it('are at most 20 of an address', () =>
  expect(read(...Array.from({ length: 30 }, () => 'is:country:DE'))).toHaveLength(20));

it('replace the opposite of a picked value', () => {
  expect(plus([GERMANY], 'country', 'DE')).toEqual([GERMANY]);
  expect(plus([NOT_GERMANY, PRICING], 'country', 'DE')).toEqual([PRICING, GERMANY]);
  expect(plus([{ ...EUROPE, operator: 'is_not' }], 'country', 'DE')).toEqual([
    { ...NOT_GERMANY, values: ['FR', 'AT'] },
    GERMANY,
  ]);
  expect(replaced([GERMANY, PRICING], GERMANY, [])).toEqual([PRICING]);
  expect(replaced([GERMANY], undefined, [PRICING])).toEqual([GERMANY, PRICING]);
});

it('take a further value as an alternative where a visitor has one, and one of several alone', () => {
  const FRANCE: Filter = { ...GERMANY, values: ['FR'] };
  expect(plus([GERMANY, PRICING], 'country', 'FR')).toEqual([{ ...GERMANY, values: ['DE', 'FR'] }, PRICING]);
  expect(plus([EUROPE], 'country', 'FR')).toEqual([FRANCE]);
  expect(plus([PRICING], 'page', '/')).toEqual([PRICING, { ...PRICING, values: ['/'] }]);
});

it('by pages and events select all hits of their visitors', () => {
  expect(asJson(GERMANY)).toEqual(['is', 'country', ['DE']]);
  expect(asJson(EUROPE)).toEqual(['is', 'country', ['DE', 'FR', 'AT']]);
  expect(asJson(NOT_GERMANY)).toEqual(['is_not', 'country', ['DE']]);
  expect(asJson(PRICING)).toEqual(['has_done', ['is', 'page', ['/pricing?a=1:2']]]);
  expect(asJson({ ...PRICING, operator: 'is_not' })).toEqual([
    'has_not_done',
    ['is', 'page', ['/pricing?a=1:2']],
  ]);
  expect(asJson({ name: 'event', operator: 'contains_not', values: ['sign'] })).toEqual([
    'has_not_done',
    ['contains', 'event', ['sign']],
  ]);
});

it('narrow properties to those of the events that are filtered by', () => {
  const buy: Filter = { name: 'event', operator: 'is', values: ['buy'] };
  const ofAll = ['has_done', ['is', 'event', ['buy']]];
  expect(queryFilters([buy], 'event_properties')).toEqual([ofAll, ['is', 'event', ['buy']]]);
  expect(queryFilters([buy], 'event')).toEqual([ofAll]);
  expect(queryFilters([{ ...buy, operator: 'is_not' }], 'currency')).toHaveLength(1);
});

it('are as many as the reader may have, by names that the reader may see', () => {
  const [owner, viewer] = [true, false].map((isOwner) => ({ isOwner, mayFilter: true })) as [Reader, Reader];
  const limited: Reader = { isOwner: false, mayFilter: false };
  const added = (name: Name, ...readers: Reader[]) =>
    readers.map((reader) => mayAdd([PRICING], name, reader));
  expect(added('browser', owner, viewer, limited)).toEqual([true, true, false]);
  expect(added('currency', owner, viewer, limited)).toEqual([true, false, false]);
  expect(added('event_property:plan', owner, viewer)).toEqual([true, false]);
  expect(mayAdd([], 'page', owner, '(other)')).toBe(false);
});
