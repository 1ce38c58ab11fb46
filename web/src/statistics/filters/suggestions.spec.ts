import { suggested } from './suggestions';

const CITIES = ['Kirkland, Quebec, CA', 'Quebec, Quebec, CA'];

it('mean the value of the typed words, or else the first', () => {
  expect(suggested('city', CITIES, 'quebec', false)).toEqual({
    own: 'quebec',
    values: [...CITIES, 'quebec'],
    meant: CITIES[1],
  });
  expect(suggested('city', CITIES, 'que', false).meant).toBe(CITIES[0]);
  expect(suggested('page', ['/pricing/old', '/pricing'], '/pricing', false)).toEqual({
    own: undefined,
    values: ['/pricing/old', '/pricing'],
    meant: '/pricing',
  });
});

it('mean the text itself if nothing is known, or if parts of values are matched', () => {
  expect(suggested('page', [], '/new', false)).toEqual({ own: '/new', values: ['/new'], meant: '/new' });
  expect(suggested('page', ['/pricing'], 'pri', true)).toMatchObject({
    own: 'pri',
    values: ['pri', '/pricing'],
    meant: 'pri',
  });
});

it('mean nothing while nothing is typed', () => {
  expect(suggested('city', CITIES, '', false)).toEqual({ own: undefined, values: CITIES, meant: undefined });
  expect(suggested('page', ['/'], '', true)).toEqual({ own: undefined, values: ['/'], meant: undefined });
});
