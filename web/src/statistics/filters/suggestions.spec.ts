import { suggested } from './suggestions';

const CITIES = ['Kirkland, Quebec, CA', 'Quebec, Quebec, CA'];

it('mean the value of the typed words, or else the first', () => {
  expect(suggested('city', CITIES, 'quebec', false)).toEqual({
    values: [...CITIES, 'quebec'],
    meant: CITIES[1],
  });
  expect(suggested('city', CITIES, 'que', false).meant).toBe(CITIES[0]);
  expect(suggested('page', ['/pricing/old', '/pricing'], '/pricing', false)).toEqual({
    values: ['/pricing/old', '/pricing'],
    meant: '/pricing',
  });
});

it('mean the text itself if nothing is known, or if parts of values are matched', () => {
  expect(suggested('page', [], '/new', false)).toEqual({ values: ['/new'], meant: '/new' });
  expect(suggested('page', ['/pricing'], 'pri', true)).toEqual({ values: ['pri', '/pricing'], meant: 'pri' });
});

it('mean nothing while nothing is typed', () => {
  expect(suggested('city', CITIES, '', false)).toEqual({ values: CITIES, meant: undefined });
  expect(suggested('page', ['/'], '', true)).toEqual({ values: ['/'], meant: undefined });
});
