import { SecondsCounts } from './seconds-counts';

function countsOf(seconds: number[]): SecondsCounts {
  const counts = new SecondsCounts();
  for (const one of seconds) counts.add(one);
  return counts;
}

it('has no percentile of nothing', () => {
  expect(countsOf([]).percentile(50)).toBeUndefined();
});

it('finds the least number that a share does not exceed', () => {
  const ten = countsOf([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect([ten.percentile(50), ten.percentile(90)]).toEqual([5, 9]);
  const eleven = countsOf([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect([eleven.percentile(50), eleven.percentile(90)]).toEqual([5, 9]);
  expect([countsOf([0]).percentile(50), countsOf([86_400]).percentile(90)]).toEqual([0, 86_400]);
});

it('ranks without rounding errors', () => {
  const seconds = Array.from({ length: 70 }, (_, index) => index + 1);
  expect(countsOf(seconds).percentile(90)).toBe(63);
});
