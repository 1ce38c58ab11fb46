import { added, Counter, Durations, Gauge, MeasuredThreads, measuredHere } from './measures';

const counter = new Counter('spec_things_total', 'Things.', ['kind', 'of']);
const gauge = new Gauge('spec_now', 'Now.');
const durations = new Durations('spec_seconds', 'Seconds.', ['kind']);
const named = (name: string, all = measuredHere()) => all.find((measured) => measured.name === name)!;

it('counts by labels, and knows what is still 0', () => {
  expect(named('spec_now').series).toEqual([{ labels: [], values: [0] }]);
  counter.add(2, 'a', 'b');
  counter.add(3, 'a', 'b');
  counter.add(1, 'b', 'a');
  expect(named('spec_things_total').series).toEqual([
    { labels: ['a', 'b'], values: [5] },
    { labels: ['b', 'a'], values: [1] },
  ]);
});

it('puts durations into buckets that include their bounds', async () => {
  for (const milliseconds of [1, 1.1, 40_000]) durations.add(milliseconds, 'a');
  await durations.during(() => Promise.resolve(), 'b');
  const { bounds, series } = named('spec_seconds');
  const [a, b] = series;
  expect(a!.values.slice(0, bounds.length + 1)).toEqual([1, 1, ...bounds.slice(2).map(() => 0), 1]);
  expect(a!.values.at(-1)).toBeCloseTo(40.0021);
  expect(b!.values.slice(0, -1).reduce((sum, count) => sum + count)).toBe(1);
});

it('refuses two measures of one name', () => {
  expect(() => new Gauge('spec_now', 'Again.')).toThrow('spec_now is measured twice');
});

it('adds threads up, and keeps what happened in those that ended', () => {
  const threads = new MeasuredThreads();
  const [one, other] = [{}, {}];
  const of = (now: number, things: number) =>
    measuredHere().map((measured) => ({
      ...measured,
      series: [
        ...(measured.kind === 'gauge' ? [{ labels: [], values: [now] }] : []),
        ...(measured.kind === 'counter' ? [{ labels: ['t', 't'], values: [things] }] : []),
      ],
    }));
  threads.note(one, of(10, 100));
  threads.note(one, of(1, 200));
  threads.note(other, of(2, 20));
  threads.end(one);
  gauge.set(40);
  expect(named('spec_now', threads.all()).series).toEqual([{ labels: [], values: [42] }]);
  expect(named('spec_things_total', threads.all()).series.at(-1)).toEqual({
    labels: ['t', 't'],
    values: [220],
  });
  expect(added([])).toEqual([]);
});
