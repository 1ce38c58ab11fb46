import type { Bucket } from '../chart/series';
import { beginOf, byBucket, localTime, timeFor } from './annotations';

const ZONE = 'Europe/Berlin';
const bucket = (from: string, to = from, hour?: string): Bucket => ({
  ...{ from, to, now: {}, before: {} },
  ...(hour !== undefined && { hour }),
});
const textsBy = (buckets: Bucket[], ...times: string[]) =>
  byBucket(
    buckets,
    times.map((at) => ({ at, text: at })),
    ZONE,
  ).map((found) => found.map(({ text }) => text));

it('are at their days, weeks and months, moments by the day of the zone', () => {
  const days = [bucket('2026-01-30'), bucket('2026-01-31')];
  expect(textsBy(days, '2026-01-31', '2026-01-30T23:00:00Z', '2026-02-01')).toEqual([
    [],
    ['2026-01-31', '2026-01-30T23:00:00Z'],
  ]);
  const months = [bucket('2026-01-10', '2026-01-31'), bucket('2026-02-01', '2026-02-07')];
  expect(textsBy(months, '2026-01-31', '2026-02-07', '2026-01-09')).toEqual([['2026-01-31'], ['2026-02-07']]);
});

it('are at their hours, days at the first', () => {
  const hours = ['00:00', '01:00', '02:00'].map((clock) =>
    bucket('2026-01-31', undefined, `2026-01-31T${clock}`),
  );
  expect(textsBy(hours, '2026-01-31', '2026-01-31T01:59:59Z', '2026-01-31T02:00:00Z')).toEqual([
    ['2026-01-31'],
    [],
    ['2026-01-31T01:59:59Z'],
  ]);
});

it('are at the right one of an hour that comes twice', () => {
  const hours = ['01:00', '02:00', '02:00', '03:00'].map((clock) =>
    bucket('2026-10-25', undefined, `2026-10-25T${clock}`),
  );
  expect(textsBy(hours, '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z')).toEqual([
    [],
    ['2026-10-25T00:30:00Z'],
    ['2026-10-25T01:30:00Z'],
    ['2026-10-25T02:30:00Z'],
  ]);
});

it.each([
  ['2026-01-31', '', '2026-01-31', '2026-01-31'],
  ['2026-01-31', '12:30', '2026-01-31T11:30:00Z', '2026-01-31T12:30'],
  ['2026-07-31', '00:15', '2026-07-30T22:15:00Z', '2026-07-31T00:15'],
  ['2026-03-29', '02:30', '2026-03-29T01:30:00Z', '2026-03-29T03:30'],
])('reads %s %s as %s', (day, clock, at, local) => {
  expect(timeFor(day, clock, ZONE)).toBe(at);
  expect(localTime(at, ZONE)).toBe(local);
});

it.each([
  ['the first of an hour that comes twice', ZONE, '2026-10-25T02:00+02:00', '2026-10-25T00:00:00Z', '02:00'],
  ['the second', ZONE, '2026-10-25T02:00+01:00', '2026-10-25T01:00:00Z', '02:00'],
  ['an hour after one that is skipped', ZONE, '2026-03-29T03:00+02:00', '2026-03-29T01:00:00Z', '03:00'],
  [
    'half an hour that is left',
    'Australia/Lord_Howe',
    '2026-10-04T02:00+11:00',
    '2026-10-03T15:30:00Z',
    '02:30',
  ],
  ['half an hour again', 'Australia/Lord_Howe', '2026-04-05T01:00+10:30', '2026-04-04T15:00:00Z', '01:30'],
])('a click on %s is at its begin, and stays there', (_, zone, hour, begin, clock) => {
  expect(beginOf(hour, zone)).toBe(begin);
  const local = localTime(begin, zone);
  expect(local.slice(-5)).toBe(clock);
  expect(timeFor(local.slice(0, 10), clock, zone, begin)).toBe(begin);
});

it.each([
  ['2026-10-25T00:00:00Z', '02:45', '2026-10-25T00:45:00Z'],
  ['2026-10-25T01:00:00Z', '02:45', '2026-10-25T01:45:00Z'],
  ['2026-10-25T00:30:00Z', '12:00', '2026-10-25T11:00:00Z'],
  ['2026-10-24', '02:45', '2026-10-25T01:45:00Z'],
])('of a time that comes twice, what was chosen at %s and moved to %s is at %s', (chosen, clock, at) =>
  expect(timeFor('2026-10-25', clock, ZONE, chosen)).toBe(at),
);
