import { momentsBefore } from './moments';

const BERLIN = 'Europe/Berlin';
const day = (text: string) => ({ from: text, to: text });
const before = (text: string, asOf: string, timezone = BERLIN) =>
  momentsBefore(day(text), text, asOf, timezone);

it('end at the same time of the clock on the day before', () => {
  expect(before('2026-11-23', '2026-11-23T12:41:07.900Z', 'UTC')).toEqual([
    '2026-11-22T00:00:00Z',
    '2026-11-22T12:41:07Z',
  ]);
  expect(before('2026-11-23', '2026-11-22T23:30:00Z')).toEqual([
    '2026-11-21T23:00:00Z',
    '2026-11-21T23:30:00Z',
  ]);
});

it('are those of the counterpart of a day, or of all from the first one on', () => {
  const week = { from: '2026-11-17', to: '2026-11-23' };
  const asOf = '2026-11-23T08:00:00Z';
  expect(momentsBefore(week, '2026-11-23', asOf, 'UTC')).toEqual([
    '2026-11-16T00:00:00Z',
    '2026-11-16T08:00:00Z',
  ]);
  expect(momentsBefore(week, '2026-11-17', asOf, 'UTC')[0]).toBe('2026-11-10T00:00:00Z');
});

it('end on the counterpart of a day within the range, and with the range if that is over', () => {
  const week = { from: '2026-11-17', to: '2026-11-23' };
  expect(momentsBefore(week, '2026-11-17', '2026-11-20T08:00:00Z', 'UTC')[1]).toBe('2026-11-13T08:00:00Z');
  expect(momentsBefore(week, '2026-11-17', '2026-11-24T08:00:00Z', 'UTC')[1]).toBe('2026-11-16T23:59:59Z');
});

describe('when clocks change', () => {
  // On 2026-03-29 from 2:00 to 3:00, on 2026-10-25 from 3:00 to 2:00.
  it.each([
    [
      'after a day of 23 hours',
      '2026-03-30',
      '2026-03-30T12:00:00Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T12:00:00Z',
    ],
    [
      'on a day of 23 hours',
      '2026-03-29',
      '2026-03-29T12:00:00Z',
      '2026-03-27T23:00:00Z',
      '2026-03-28T13:00:00Z',
    ],
    [
      'at a time that was left out',
      '2026-03-30',
      '2026-03-30T00:30:00Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T01:30:00Z',
    ],
    [
      'after a day of 25 hours',
      '2026-10-26',
      '2026-10-26T12:00:00Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T12:00:00Z',
    ],
    [
      'on a day of 25 hours',
      '2026-10-25',
      '2026-10-25T12:00:00Z',
      '2026-10-23T22:00:00Z',
      '2026-10-24T11:00:00Z',
    ],
    [
      'at a time that came twice',
      '2026-10-26',
      '2026-10-26T01:30:00Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T00:30:00Z',
    ],
    [
      'late on the day after one of 25 hours',
      '2026-10-26',
      '2026-10-26T22:59:59Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T22:59:59Z',
    ],
  ])('%s', (_, today, asOf, begin, end) => expect(before(today, asOf)).toEqual([begin, end]));

  it('at midnight, the day begins later', () =>
    // In Santiago clocks went from 0:00 to 1:00 on 2026-09-06.
    expect(before('2026-09-07', '2026-09-07T03:30:00Z', 'America/Santiago')).toEqual([
      '2026-09-06T04:00:00Z',
      '2026-09-06T04:00:00Z',
    ]));
});
