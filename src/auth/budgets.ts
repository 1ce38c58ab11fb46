import type { Response } from 'express';
import type { BudgetName } from '../config/rate-limits';
import type { RateLimitResult } from '../limits/counter';

const STATISTICS = /^\/(api\/v1\/stats\/|console\/api\/recent|mcp\/?$|share\/[^/]+\/api\/)/i;
const EVENTS = /^\/api\/v1\/(websites\/[^/]+\/)?events\/?$/i;

export function allow(response: Response, { headers, refusal }: RateLimitResult): void {
  response.set(headers);
  if (refusal) throw refusal;
}

export function budgetOf(path: string): BudgetName {
  if (STATISTICS.test(path)) return 'statistics';
  return EVENTS.test(path) ? 'events' : 'management';
}
