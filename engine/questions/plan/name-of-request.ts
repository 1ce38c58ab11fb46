import { createHash } from 'node:crypto';
import type { RequestedQuery } from '../parse/query-body';
import type { HitQuery } from './hit-query';

/**
 * Names a request for the choice of its thread. Goals and the moments of ranges do not matter: stored goals can be
 * large, and only whole days are cached.
 */
export function nameOfRequest(
  websiteId: number,
  requested: readonly Pick<RequestedQuery, 'filters' | 'dimensions' | 'metrics'>[],
  ranges: readonly Pick<HitQuery, 'range' | 'previous'>[],
): string {
  const counted = requested.map(({ filters, dimensions, metrics }, index) => {
    const { range, previous } = ranges[index]!;
    return [filters, dimensions, metrics, range.days, previous?.days];
  });
  return digestOf([websiteId, counted]);
}

export function digestOf(counted: unknown): string {
  return createHash('sha256').update(JSON.stringify(counted)).digest('base64');
}
