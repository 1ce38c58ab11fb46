import type { Recent } from '../client';

export const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);

/** The numbers of one website or of several together. */
export interface Numbers {
  /** By day. */
  days: number[];
  sum: number;
  /** The days that are over, and as many before. Today would make each morning a fall. */
  over: { now: number; before: number };
  /** Undefined while the service is busy. */
  live: number | undefined;
}

export function numbersOf({ visitors, visitors_before: before, visitors_now: live }: Recent): Numbers {
  return {
    days: visitors,
    sum: sumOf(visitors),
    over: { now: sumOf(visitors.slice(0, -1)), before },
    live: live ?? undefined,
  };
}

export function totalOf(all: Numbers[]): Numbers {
  const live = all.map((one) => one.live);
  return {
    days: (all[0]?.days ?? []).map((_, index) => sumOf(all.map(({ days }) => days[index]!))),
    sum: sumOf(all.map(({ sum }) => sum)),
    over: {
      now: sumOf(all.map(({ over }) => over.now)),
      before: sumOf(all.map(({ over }) => over.before)),
    },
    live: live.every((count) => count !== undefined) ? sumOf(live) : undefined,
  };
}
