import type { Recent, Visitors, Website } from '../client';

export const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);

/** The numbers of one website or of several together. */
export interface Numbers {
  /** By day. */
  days: number[];
  sum: number;
  /** The days that are over, and as many before. Today would make each morning a fall. */
  over: { now: number; before: number };
  /** The first day with visitors, if it is too late for a comparison. */
  since: string | undefined;
  /** Undefined while the service is busy. */
  live: number | undefined;
}

type Counted = Visitors & Partial<Recent>;

export function numbersOf(counted: Counted): Numbers {
  const { visitors, visitors_before: before, visitors_now: live, since } = counted;
  return {
    days: visitors,
    sum: sumOf(visitors),
    over: { now: sumOf(visitors.slice(0, -1)), before },
    since: since ?? undefined,
    live: live ?? undefined,
  };
}

/** Undefined unless the numbers of all websites are known. */
export function knownTotal(
  websites: readonly Website[],
  numbers: ReadonlyMap<number, Numbers>,
): Numbers | undefined {
  const known = websites.map(({ id }) => numbers.get(id)).filter((one) => one !== undefined);
  return known.length === websites.length ? totalOf(known) : undefined;
}

/** Favorites are first. Where the numbers of visitors are the same, the newest is first. */
export function byVisitors(websites: readonly Website[], numbers: ReadonlyMap<number, Numbers>): Website[] {
  const visitorsOf = ({ id }: Website) => numbers.get(id)?.sum ?? 0;
  const rankOf = ({ favorited_at: since }: Website) => (since === null ? 1 : 0);
  return websites.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || visitorsOf(other) - visitorsOf(one) || other.id - one.id,
  );
}

/** It is as old as the oldest website with visitors. */
function sinceOf(all: Numbers[]): string | undefined {
  const visited = all.filter(({ sum, over }) => sum > 0 || over.before > 0).map(({ since }) => since);
  return visited.includes(undefined) ? undefined : visited.toSorted()[0];
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
    since: sinceOf(all),
    live: live.every((count) => count !== undefined) ? sumOf(live) : undefined,
  };
}
