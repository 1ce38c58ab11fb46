import { day } from '../../../../engine/ground/time/parsed';
import { dayOfMonth, periodWording, shortMonth, weekday } from './dates';

it.each([
  ['2026-11-16', '2026-11-22', '16 to 22 November 2026', '16. bis 22. November 2026'],
  ['2026-09-28', '2026-10-04', '28 September to 4 October 2026', '28. September bis 4. Oktober 2026'],
  ['2026-12-28', '2027-01-03', '28 December 2026 to 3 January 2027', '28. Dezember 2026 bis 3. Januar 2027'],
])('word the week %s', (from, to, english, german) => {
  const week = { every: 'weekly', from: day(from), to: day(to) } as const;
  expect([periodWording(week), periodWording(week, 'de')]).toEqual([english, german]);
});

it('word a month', () => {
  const month = { every: 'monthly', from: day('2026-03-01'), to: day('2026-03-31') } as const;
  expect([periodWording(month), periodWording(month, 'de')]).toEqual(['March 2026', 'März 2026']);
});

it('word a single day', () => {
  const monday = day('2026-03-02');
  expect([weekday(monday, 'de'), dayOfMonth(monday, 'de'), shortMonth(monday, 'de')]).toEqual([
    'Mo',
    '2.',
    'Mär',
  ]);
});
