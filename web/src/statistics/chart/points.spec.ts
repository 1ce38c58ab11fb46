import { FIGURES } from './figures';
import { pointOf } from './points';
import type { Bucket } from './series';

const before = (bucket: Omit<Bucket, 'now' | 'before'>, unit: 'hour' | 'month', back: number) =>
  pointOf(
    { ...bucket, now: {}, before: {} },
    { unit, figure: FIGURES.visitors, second: undefined, back },
    [],
  ).textBefore.replace(/\s/g, ' ');

it('name the time that they are compared with', () => {
  const hour = { from: '2026-10-25', to: '2026-10-25', hour: '2026-10-25T02:00' };
  expect(before(hour, 'hour', 1)).toBe('Sat, Oct 24, 2:00 AM');
  const other = { from: '2026-10-24', to: '2026-10-24', hour: '2026-10-24T03:00' };
  expect(before({ ...hour, counterpart: other }, 'hour', 1)).toBe('Sat, Oct 24, 3:00 AM');
  const month = { from: '2026-03-01', to: '2026-03-31' };
  expect(before(month, 'month', 31)).toBe('Jan 29 – Feb 28, 2026');
  const calendar = { from: '2023-03-10', to: '2023-03-31' };
  expect(before({ ...month, counterpart: calendar }, 'month', 1096)).toBe('Mar 10 – 31, 2023');
});

it('a month that the range cuts is called by its days, and is dashed like one that is not over', () => {
  const point = (bucket: Omit<Bucket, 'now' | 'before'>) => {
    const drawn = { unit: 'month', figure: FIGURES.visitors, second: undefined, back: undefined } as const;
    const { text, isPart } = pointOf({ ...bucket, now: {}, before: {} }, drawn, []);
    return [text.replace(/\s/g, ' '), isPart];
  };
  expect(point({ from: '2025-11-29', to: '2025-11-30', isCut: true })).toEqual(['Nov 29 – 30, 2025', true]);
  expect(point({ from: '2025-12-01', to: '2025-12-31' })).toEqual(['December 2025', false]);
  const last = { from: '2026-11-01', to: '2026-11-28', isCut: true };
  expect(point({ ...last, isOpen: true })).toEqual(['November 2026, so far', true]);
  expect(point(last)).toEqual(['Nov 1 – 28, 2026', true]);
});
