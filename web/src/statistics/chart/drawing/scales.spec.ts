import { scaleFor, scaleWith, tickedPoints, topOf } from './scales';

const COUNT = { precision: 1 };
const SHARE = { precision: 0.001 };
const RATIO = { precision: 0.1 };
const TIME = { precision: 1, isTime: true };

it.each([
  [2937, 3000],
  [100, 100],
  [101, 125],
  [1, 3],
  [0, 3],
  [7, 8],
])('the ceiling of visitors up to %i is %i', (largest, top) =>
  expect(topOf(scaleFor(largest, COUNT))).toBe(top),
);

it('shares and minutes have steps of their own', () => {
  expect(topOf(scaleFor(0.41, SHARE))).toBeCloseTo(0.5);
  expect(scaleFor(170, TIME)).toEqual({ step: 60, rows: 3 });
});

it('has no step that its axis would round', () => {
  expect(scaleFor(1.2, RATIO)).toEqual({ step: 0.5, rows: 3 });
  expect(scaleFor(0.012, SHARE)).toEqual({ step: 0.005, rows: 3 });
});

it('a second metric has as many steps', () =>
  expect(scaleWith(4, 900, COUNT)).toEqual({ step: 250, rows: 4 }));

it('an axis names both ends, and nothing that would touch the last one', () => {
  expect(tickedPoints(29, 8)).toEqual([0, 5, 10, 15, 20, 25, 29]);
  expect(tickedPoints(6, 10)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(tickedPoints(29, 2)).toEqual([0, 29]);
  expect(tickedPoints(21, 8)).toEqual([0, 3, 6, 9, 12, 15, 18, 21]);
  expect(tickedPoints(22, 8)).toEqual([0, 4, 8, 12, 16, 22]);
  expect(tickedPoints(0, 8)).toEqual([0]);
});
