/** The number of requests allowed per interval. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

const BUDGETS = ['management', 'statistics', 'events'] as const;
/** The kinds of requests with separate budgets. */
export type BudgetName = (typeof BUDGETS)[number];
export type RateLimits = Record<BudgetName, RateLimit>;

/** Ten times the needs of a busy dashboard, an export of a thousand websites or a sender without batches. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  management: { requests: 1200, seconds: 60 },
  statistics: { requests: 3000, seconds: 60 },
  events: { requests: 12_000, seconds: 60 },
};

const ALLOWED =
  'use "on", "off", REQUESTS/SECONDS like 600/60 for all, or a list like management=600/60,events=6000/60';

/** Undefined if nothing is limited. */
export function rateLimits(text: string): RateLimits | undefined {
  if (text === 'off') return undefined;
  if (text === 'on') return DEFAULT_RATE_LIMITS;
  if (!text.includes('=')) return sameForAll(rateLimit(text));
  const pairs = text.split(/[\s,]+/).map((part) => {
    const [name = '', limit = '', ...rest] = part.split('=');
    const budget = BUDGETS.find((known) => known === name);
    if (!budget || rest.length > 0)
      throw new Error(`"${part}" is not one of ${BUDGETS.join(', ')}; ${ALLOWED}`);
    return [budget, rateLimit(limit)] as const;
  });
  return { ...DEFAULT_RATE_LIMITS, ...Object.fromEntries(pairs) };
}

function rateLimit(text: string): RateLimit {
  const match = /^([1-9]\d{0,6})\/([1-9]\d{0,4})$/.exec(text);
  if (!match) throw new Error(`"${text}" is not a rate; ${ALLOWED}`);
  return { requests: Number(match[1]), seconds: Number(match[2]) };
}

function sameForAll(limit: RateLimit): RateLimits {
  return { management: limit, statistics: limit, events: limit };
}
