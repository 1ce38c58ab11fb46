import { BoundedCache } from './bounded-cache';

const shout = (word: string) => `${word}!`;

it('makes a value once for as long as it is kept', () => {
  const cache = new BoundedCache<string>(2);
  const make = jest.fn(shout);
  expect([cache.get('a', make), cache.get('a', make)]).toEqual(['a!', 'a!']);
  expect(make).toHaveBeenCalledTimes(1);
});

it('forgets what was not asked for longest', () => {
  const cache = new BoundedCache<string>(2);
  for (const key of ['a', 'b', 'a', 'c']) cache.get(key, shout);
  const make = jest.fn(shout);
  for (const key of ['a', 'c', 'b']) cache.get(key, make);
  expect(make.mock.calls).toEqual([['b']]);
});

it('never grows beyond its bound', () => {
  const cache = new BoundedCache<number>(100);
  for (let key = 0; key < 10_000; key++) cache.get(String(key), () => key);
  expect(cache.size).toBe(100);
});

it('keeps nothing where making fails', () => {
  const cache = new BoundedCache<string>(2);
  const fail = () => {
    throw new Error('no');
  };
  expect(() => cache.get('a', fail)).toThrow('no');
  expect(cache.size).toBe(0);
});
