import { DayClock } from '../../engine/ground/time/day-clock';
import { DAY_MS, dayText } from '../../engine/ground/time/days';
import { type Period, periodBefore, periodDue, type Rhythm } from './period';

const worded = ({ from, to }: Period) => `${dayText(from)} ${dayText(to)}`;

/** The periods that become due as time passes, each with the moment at which it does. */
function allDue(timezone: string, every: Rhythm, from: string, to: string): [string, string][] {
  const clock = new DayClock(timezone);
  const due: [string, string][] = [];
  for (let now = Date.parse(from); now < Date.parse(to); now += 900_000) {
    const period = worded(periodDue(now, every, clock));
    if (due.at(-1)?.[1] !== period) due.push([new Date(now).toISOString().slice(0, 16), period]);
  }
  return due.slice(1);
}

describe('which period is due', () => {
  it('is the last week from Monday morning on, over the end of a year', () => {
    expect(allDue('UTC', 'weekly', '2026-12-20', '2027-01-12')).toEqual([
      ['2026-12-21T06:00', '2026-12-14 2026-12-20'],
      ['2026-12-28T06:00', '2026-12-21 2026-12-27'],
      ['2027-01-04T06:00', '2026-12-28 2027-01-03'],
      ['2027-01-11T06:00', '2027-01-04 2027-01-10'],
    ]);
  });

  it('is the last month from the first on, over a leap day', () => {
    expect(allDue('UTC', 'monthly', '2027-12-15', '2028-04-02')).toEqual([
      ['2028-01-01T06:00', '2027-12-01 2027-12-31'],
      ['2028-02-01T06:00', '2028-01-01 2028-01-31'],
      ['2028-03-01T06:00', '2028-02-01 2028-02-29'],
      ['2028-04-01T06:00', '2028-03-01 2028-03-31'],
    ]);
  });

  it.each([
    [
      'Europe/Berlin',
      '2026-03-16',
      '2026-04-07',
      ['03-16T05:00', '03-23T05:00', '03-30T04:00', '04-06T04:00'],
    ],
    [
      'Europe/Berlin',
      '2026-10-12',
      '2026-11-03',
      ['10-12T04:00', '10-19T04:00', '10-26T05:00', '11-02T05:00'],
    ],
    ['America/New_York', '2026-10-26', '2026-11-10', ['10-26T10:00', '11-02T11:00', '11-09T11:00']],
    ['Pacific/Auckland', '2026-09-20', '2026-10-05', ['09-20T18:00', '09-27T17:00', '10-04T17:00']],
    ['Asia/Kathmandu', '2026-06-01', '2026-06-09', ['06-01T00:15', '06-08T00:15']],
    ['Pacific/Kiritimati', '2026-06-01', '2026-06-09', ['06-07T16:00']],
  ])('comes in the morning of %s, also after its clocks were changed', (timezone, from, to, moments) => {
    const due = allDue(timezone, 'weekly', from, to);
    expect(due.map(([moment]) => moment.slice(5))).toEqual(moments);
    for (const [, period] of due) expect(lengthOf(period)).toBe(7);
  });

  it('follows the period before without a gap, for years', () => {
    for (const every of ['weekly', 'monthly'] as const)
      for (const timezone of ['America/Santiago', 'Africa/Cairo', 'Australia/Lord_Howe']) {
        const clock = new DayClock(timezone);
        let due = periodDue(Date.parse('2025-01-15'), every, clock);
        for (let now = Date.parse('2025-01-15'); now < Date.parse('2028-01-15'); now += DAY_MS / 2) {
          const period = periodDue(now, every, clock);
          if (period.from !== due.from) expect(periodBefore(period)).toEqual(due);
          expect(period.to).toBeLessThan(clock.dayOf(now));
          due = period;
        }
      }
  });
});

function lengthOf(period: string): number {
  const [from, to] = period.split(' ').map((text) => Date.parse(text));
  return (to! - from!) / DAY_MS + 1;
}
