import { createHmac } from 'node:crypto';

const THURSDAY = 4;
const WEEKEND_SHARE = 0.55;
const GROWTH = 0.6;
const LAUNCH_AT = 0.7;
const LAUNCH_FACTORS = [3, 1.9, 1.4];
const NOISE = 0.16;

/** The number of events for each day: a rising trend, fewer at weekends, many more after a launch. */
export function eventsByDay(days: readonly number[], events: number, seed: number): number[] {
  const weights = days.map((day, index) => weightOf(day, index, days.length, seed));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  let given = 0;
  return weights.map((weight) => {
    sum += weight;
    const share = Math.round((sum / all) * events) - given;
    given += share;
    return share;
  });
}

function weightOf(day: number, index: number, count: number, seed: number): number {
  const trend = 1 + (GROWTH * index) / count;
  const week = [0, 6].includes((day + THURSDAY) % 7) ? WEEKEND_SHARE : 1;
  const launch = LAUNCH_FACTORS[index - launchAt(count)] ?? 1;
  const noise = createHmac('sha256', 'weight').update(`${seed} ${day}`).digest().readUInt16LE(0) / 65_536;
  return trend * week * launch * (1 - NOISE / 2 + NOISE * noise);
}

/** The day with the most visitors. */
export function launchIn(days: readonly number[]): number {
  return days[launchAt(days.length)]!;
}

function launchAt(count: number): number {
  return Math.floor(count * LAUNCH_AT);
}
