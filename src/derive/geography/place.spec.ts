import { placeOfRecord } from './place';

const flat = { country_code: 'US', city: 'Mountain View', state1: 'California', state2: '' };
const nested = {
  continent: { code: 'NA' },
  country: { iso_code: 'US', names: { en: 'United States' } },
  subdivisions: [{ iso_code: 'CA', names: { en: 'California' } }, { names: { en: 'Santa Clara' } }],
  city: { names: { de: 'Mountain View (Kalifornien)', en: 'Mountain View' } },
};

it.each([flat, nested])('reads a record of either shape', (record) => {
  expect(placeOfRecord(record)).toEqual({
    continent: 'NA',
    country: 'US',
    city: 'Mountain View, California, US',
  });
});

it.each([
  [{ ...flat, state1: '' }, 'Mountain View, US'],
  [{ ...flat, country_code: '' }, 'Mountain View, California'],
  [{ ...flat, city: '' }, '(unknown)'],
  [{ ...flat, city: 'Berlin (Mitte (West))' }, 'Berlin, California, US'],
  [{ ...nested, subdivisions: undefined }, 'Mountain View, US'],
  [{ ...nested, subdivisions: [] }, 'Mountain View, US'],
  [{ ...nested, city: undefined }, '(unknown)'],
  [{ ...nested, city: { names: { de: 'Berg' } } }, '(unknown)'],
])('leaves out what a record does not contain: %j', (record, city) => {
  expect(placeOfRecord(record).city).toBe(city);
});

it.each(['', 'ZZ', 'EU', 'us', 'toString', '__proto__'])('does not take %p for a country', (country_code) => {
  const place = placeOfRecord({ country_code, city: '' });
  expect(place).toEqual({ continent: '(unknown)', country: '(unknown)', city: '(unknown)' });
});

it('knows the continent of a record without a country', () => {
  expect(placeOfRecord({ continent: { code: 'EU' } })).toMatchObject({
    continent: 'EU',
    country: '(unknown)',
  });
});

it('puts a country on the same continent, whoever made the record', () => {
  const [own, other] = [{ country_code: 'TR' }, { country: { iso_code: 'TR' }, continent: { code: 'EU' } }];
  expect(placeOfRecord(own).continent).toBe(placeOfRecord(other).continent);
});

it('reads nothing from an empty record', () => {
  expect(placeOfRecord({})).toEqual({ continent: '(unknown)', country: '(unknown)', city: '(unknown)' });
});
