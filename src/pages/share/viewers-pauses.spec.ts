import { ViewersPauses } from './viewers-pauses';

let now = 0;
const pauses = () => new ViewersPauses(() => now);
const retryAfter = (of: ViewersPauses, asking = 'a') => {
  try {
    of.expectNone(asking);
    return 0;
  } catch (error) {
    expect(error).toMatchObject({ status: 429, code: 'too_many_requests' });
    return (error as { retryAfterSeconds: number }).retryAfterSeconds;
  }
};

it('grow up to five minutes, for the one who asks alone, and begin anew in the end', () => {
  const own = pauses();
  const seen: number[] = [];
  for (let time = 0; time < 10; time++) {
    expect(retryAfter(own)).toBe(0);
    own.add('a');
    seen.push(retryAfter(own));
    now += 1000 * seen.at(-1)!;
  }
  expect(seen).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(retryAfter(own, 'b')).toBe(0);
  now += 600_001;
  own.add('a');
  expect(retryAfter(own)).toBe(2);
});

it('are known of a bounded number of viewers', () => {
  const own = pauses();
  for (let index = 0; index < 20_000; index++) own.add(String(index));
  expect([own.size, retryAfter(own, '0'), retryAfter(own, '19999')]).toEqual([10_000, 0, 2]);
});
