import { DayClock } from '../../ground/time/day-clock';
import { isWithin } from './range-days';

const DAY = 20_000;
const DAY_S = 86_400;
const AROUND = { from: (DAY - 1) * DAY_S, to: (DAY + 2) * DAY_S };

it.each(['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12'])(
  'knows that a day of %s is within some moments',
  (zone) => {
    const clock = new DayClock(zone);
    const [begin, end] = [clock.endOf(DAY - 1) / 1000, clock.endOf(DAY) / 1000];
    expect(isWithin(DAY, AROUND)).toBe(true);
    expect([AROUND.from <= begin, end <= AROUND.to]).toEqual([true, true]);
    expect(isWithin(DAY, { ...AROUND, from: begin + 1 })).toBe(false);
    expect(isWithin(DAY, { ...AROUND, to: end - 2 })).toBe(false);
  },
);
