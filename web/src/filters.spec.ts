import { asJson, type Filter, filtersIn, mayAdd, negated, plus, replaced, withFilters } from './filters';

const read = (...parts: string[]) => filtersIn(new URLSearchParams(parts.map((part) => ['f', part])));
const GERMANY: Filter = { name: 'country', operator: 'is', value: 'DE' };
const PRICING: Filter = { name: 'page', operator: 'is', value: '/pricing?a=1:2' };

it('stand in the address, whatever their values are', () => {
  expect(read(...withFilters([GERMANY, PRICING]).f)).toEqual([GERMANY, PRICING]);
});

it.each(['', 'is', 'is:country', 'is:country:', 'is:nothing:DE', 'like:country:DE', 'is:constructor:x'])(
  'are left out where "%s" is none',
  (text) => expect(read(text)).toEqual([]),
);

it('are at most 20 of an address', () =>
  expect(read(...Array.from({ length: 30 }, () => 'is:country:DE'))).toHaveLength(20));

it('take what is picked in the place of its opposite', () => {
  expect(plus([GERMANY], 'country', 'DE')).toEqual([GERMANY]);
  expect(plus([negated(GERMANY), PRICING], 'country', 'DE')).toEqual([PRICING, GERMANY]);
  expect(replaced([GERMANY, PRICING], GERMANY, [])).toEqual([PRICING]);
  expect(replaced([GERMANY], undefined, [PRICING])).toEqual([GERMANY, PRICING]);
});

it('by pages and events take all of those who saw or did it', () => {
  expect(asJson(GERMANY)).toEqual(['is', 'country', ['DE']]);
  expect(asJson(negated(GERMANY))).toEqual(['is_not', 'country', ['DE']]);
  expect(asJson(PRICING)).toEqual(['has_done', ['is', 'page', ['/pricing?a=1:2']]]);
  expect(asJson(negated(PRICING))).toEqual(['has_not_done', ['is', 'page', ['/pricing?a=1:2']]]);
  expect(asJson({ name: 'event', operator: 'contains_not', value: 'sign' })).toEqual([
    'has_not_done',
    ['contains', 'event', ['sign']],
  ]);
});

it('of viewers have at most three names', () => {
  const three = [GERMANY, PRICING, { ...GERMANY, name: 'city' as const }];
  expect([mayAdd(three, 'browser', false), mayAdd(three, 'browser', true)]).toEqual([false, true]);
  expect([mayAdd(three, 'page', false), mayAdd([], 'page', true, '(other)')]).toEqual([true, false]);
});
