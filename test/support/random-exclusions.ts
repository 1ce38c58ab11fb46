import fc from 'fast-check';
import { dayText } from '../../engine/ground/time/days';
import type { Exclusion } from '../../engine/questions/exclusions';
import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import type { CountingProcess } from './counting';
import { randomFilter } from './random-hits';

/** Further than all days of a test. */
const DAYS = 40;

/** Exclusions whose days are counted from a day. Half of the lists are empty. */
type RandomExclusions = { filters: ResolvedFilter[]; first: number; length: number | undefined }[];

export const randomExclusions: fc.Arbitrary<RandomExclusions> = fc.oneof(
  fc.constant<RandomExclusions>([]),
  fc.array(
    fc.record({
      // Without conditions, all hits of the days are left out.
      filters: fc.oneof(
        { weight: 9, arbitrary: fc.array(randomFilter, { minLength: 1, maxLength: 2 }) },
        { weight: 1, arbitrary: fc.constant<ResolvedFilter[]>([]) },
      ),
      first: fc.integer({ min: -1, max: 4 }),
      length: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
);

export async function leaveOut(
  { database, store }: CountingProcess,
  websiteId: number,
  random: RandomExclusions,
  firstDay: number,
): Promise<Exclusion[]> {
  const exclusions = random.map(({ filters, first, length }, index): Exclusion => {
    const from = firstDay + first;
    return { id: index + 1, name: `x${index}`, filters, from, to: length && from + length - 1 };
  });
  await database.write((manager) => store.leaveOut(manager, websiteId, exclusions));
  return exclusions;
}

/** The filters that select all hits except excluded ones, in the terms of the documentation. */
export function filtersOfKept(exclusions: readonly Exclusion[]): ResolvedFilter[] {
  return exclusions.map(({ filters, from, to = from + DAYS }) => {
    const days = Array.from({ length: to - from + 1 }, (_, index) => dayText(from + index));
    return ['not', ['and', [['is', 'day', days], ...filters]]];
  });
}
