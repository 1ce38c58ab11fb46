import { SHADES, shadeOf } from './shades';

it('are darker for more, and tell small numbers apart', () => {
  const shades = [0, 1, 8, 60, 200, 500, 1000].map((count) => shadeOf(count, 1000));
  expect(shades).toEqual([0, 1, 1, 2, 3, 4, 5]);
});

it('are the darkest for the largest, however small it is', () => {
  expect(shadeOf(1, 1)).toBe(SHADES);
  expect(shadeOf(7, 7)).toBe(SHADES);
});

it('stay in the scale if a number is newer than the largest', () => expect(shadeOf(9, 7)).toBe(SHADES));
