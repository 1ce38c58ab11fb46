import { ByteCache } from '../../engine/ground/memory/byte-cache';
import { BYTES_OF_COUNT, type Count, RequestBudget, type ReportCount } from './rate-limit';

const NOON = Date.parse('2026-01-31T12:00:00Z');
beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

function counter(requests: number, report: ReportCount = () => undefined): RequestBudget {
  const counts = new ByteCache<Count>('keyLimits', () => BYTES_OF_COUNT);
  return new RequestBudget('events', { requests, seconds: 60 }, counts, report);
}

it('refuses requests beyond the budget until the next interval of the clock', () => {
  const events = counter(2);
  jest.setSystemTime(NOON + 15_500);
  expect(events.take('a')).toEqual({
    headers: { 'RateLimit-Policy': '"events";q=2;w=60', RateLimit: '"events";r=1;t=45' },
    refusal: undefined,
  });
  expect(events.take('a').refusal).toBeUndefined();
  expect(events.spent('a')).toBeDefined();
  expect(events.take('a').refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 45 });
  expect(events.take('b').refusal).toBeUndefined();
  jest.setSystemTime(NOON + 60_000);
  expect(events.spent('a')).toBeUndefined();
  expect(events.take('a').headers.RateLimit).toBe('"events";r=1;t=60');
});

it('reports counts from a twentieth of the budget on, and includes those of others', () => {
  const reported: Count[] = [];
  const events = counter(40, (_, endsAt, count) => {
    expect(endsAt).toBe(NOON + 60_000);
    count.isQueued = true;
    reported.push(count);
  });
  events.take('a');
  expect(reported).toHaveLength(0);
  events.take('a');
  events.take('a');
  expect(reported).toHaveLength(1);
  reported[0]!.others = 36;
  expect(events.take('a').headers.RateLimit).toMatch(/;r=0;/);
  expect(events.take('a').refusal).toBeDefined();
});

it('begins each interval with nothing reported', () => {
  let last: Count | undefined;
  const events = counter(40, (_, __, count) => void (last = count));
  for (let request = 0; request < 3; request++) events.take('a');
  Object.assign(last!, { reported: 3, acknowledged: 3, others: 5 } satisfies Partial<Count>);
  jest.setSystemTime(NOON + 60_000);
  events.take('a');
  expect(last).toMatchObject({ own: 1, reported: 0, acknowledged: 0, others: 0 });
});
