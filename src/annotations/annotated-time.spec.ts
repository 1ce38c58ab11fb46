import { DayClock } from '../../engine/ground/time/day-clock';
import { NotAllowed } from '../../engine/ground/errors';
import { columnsOfTime, normaliseTime, timeText } from './annotated-time';

it.each([
  ['2026-01-31', '2026-01-31'],
  ['1970-01-01', '1970-01-01'],
  ['9999-12-31', '9999-12-31'],
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T00:30:00.999+01:00', '2026-01-30T23:30:00Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59Z'],
])('reads %s as %s', (sent, read) => expect(normaliseTime(sent)).toBe(read));

it.each([
  '',
  'today',
  '2026-02-30',
  '2026-1-1',
  '1969-12-31',
  '2026-01-31 12:00:00Z',
  '2026-01-31T12:00:00',
  '2026-01-31T24:00:00Z',
  '2026-02-30T12:00:00Z',
  '1970-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '٢٠٢٦-٠١-٣١',
])('refuses %j', (sent) => expect(() => normaliseTime(sent)).toThrow(NotAllowed));

it('refuses a text of any length', () =>
  expect(() => normaliseTime(`2026-01-31T12:00:00.${'0'.repeat(100_000)}Z`)).toThrow(NotAllowed));

it('begins a day at midnight in the zone, and words it as it was sent', () => {
  const stored = columnsOfTime('2026-03-29', new DayClock('Europe/Berlin'));
  expect(stored.moment.toISOString()).toBe('2026-03-28T23:00:00.000Z');
  expect(timeText(stored)).toBe('2026-03-29');
  expect(timeText(columnsOfTime('2026-03-29T10:00:00Z', new DayClock('Europe/Berlin')))).toBe(
    '2026-03-29T10:00:00Z',
  );
});
