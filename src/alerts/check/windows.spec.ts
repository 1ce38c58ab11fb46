import { type Window, Windows } from './windows';

const at = (text: string) => Date.parse(text);
const textOf = ({ from, to }: Window) =>
  [from, to].map((moment) => new Date(moment).toISOString().slice(0, 16));

it.each([
  ['UTC', '2026-01-31T12:59:59Z', '2026-01-31T12:00', '2026-01-31T13:00'],
  ['Asia/Kathmandu', '2026-01-31T12:10:00Z', '2026-01-31T11:15', '2026-01-31T12:15'],
  ['Europe/Berlin', '2026-03-29T00:59:00Z', '2026-03-29T00:00', '2026-03-29T01:00'],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T01:00', '2026-03-29T02:00'],
  // Two o'clock comes twice.
  ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T00:00', '2026-10-25T01:00'],
  ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25T01:00', '2026-10-25T02:00'],
  // The second half of an hour is repeated.
  ['Australia/Lord_Howe', '2026-04-04T14:59:00Z', '2026-04-04T14:00', '2026-04-04T15:00'],
  ['Australia/Lord_Howe', '2026-04-04T15:10:00Z', '2026-04-04T15:00', '2026-04-04T15:30'],
])('in %s the hour around %s is from %s to %s', (timezone, moment, ...bounds) => {
  expect(textOf(new Windows(timezone).around(at(moment), 'hour'))).toEqual(bounds);
});

it.each([
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00', '2026-03-29T22:00'],
  ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
  ['Pacific/Kiritimati', '2026-01-01T10:00:00Z', '2026-01-01T10:00', '2026-01-02T10:00'],
])('in %s the day around %s is from %s to %s', (timezone, moment, ...bounds) => {
  expect(textOf(new Windows(timezone).around(at(moment), 'day'))).toEqual(bounds);
});

it.each([
  ['hour', '2026-10-25T02:10:00Z', '2026-10-25T01:00', '2026-10-25T02:00'],
  ['day', '2026-10-26T12:00:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
] as const)('the last %s before %s is from %s to %s', (within, moment, ...bounds) => {
  expect(textOf(new Windows('Europe/Berlin').lastBefore(at(moment), within))).toEqual(bounds);
});

it.each([
  [
    'the same clock time',
    '2026-04-16T08:00:00Z',
    ['2026-03-19T09:00', '2026-03-26T09:00', '2026-04-02T08:00', '2026-04-09T08:00'],
  ],
  [
    'what the clocks left out',
    '2026-04-12T00:00:00Z',
    ['2026-03-15T01:00', '2026-03-22T01:00', '2026-04-05T00:00'],
  ],
  [
    'the first of two',
    '2026-11-08T01:00:00Z',
    ['2026-10-11T00:00', '2026-10-18T00:00', '2026-10-25T00:00', '2026-11-01T01:00'],
  ],
  [
    'the same for the second of two',
    '2026-10-25T01:00:00Z',
    ['2026-09-27T00:00', '2026-10-04T00:00', '2026-10-11T00:00', '2026-10-18T00:00'],
  ],
])('compares with %s, for %s', (_, moment, begins) => {
  const windows = new Windows('Europe/Berlin');
  const compared = windows.comparedWith(windows.around(at(moment), 'hour'));
  expect(compared.map((window) => textOf(window)[0])).toEqual(begins);
});
