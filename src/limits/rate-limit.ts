import type { ByteCache } from '../../engine/ground/memory/byte-cache';
import { ProblemWithHeaders } from '../common/problems';
import type { RateLimit } from '../config/rate-limits';

/** One caller's requests in the current interval. */
export interface Count {
  interval: number;
  /** Counted in this process. */
  own: number;
  /** The part of `own` sent to the other processes, also by a failed write. */
  reported: number;
  /** The part of `own` that is known to be in the shared row. */
  acknowledged: number;
  /** Counted by other processes, as of the last read. */
  others: number;
  isQueued: boolean;
}

export const BYTES_OF_COUNT = 72;

export class RateLimited extends ProblemWithHeaders {
  constructor(
    budget: string,
    retryAfterSeconds: number,
    readonly headers: Record<string, string>,
  ) {
    super('rate_limited', `The budget "${budget}" of this caller is used up.`, { retryAfterSeconds });
  }
}

/** A caller's state after a request: headers for the answer, and the error if the budget is exceeded. */
export interface RateLimitResult {
  headers: Record<string, string>;
  refusal: RateLimited | undefined;
}

/** For requests without a budget. */
export const UNCOUNTED: RateLimitResult = { headers: {}, refusal: undefined };

/** Reports a local count to other processes, with a delay. */
export type ReportCount = (label: string, endsAt: number, count: Count) => void;

/** Small counts are not worth a shared row. */
const REPORT_FROM_PART = 20;

/** A request budget for each caller and interval. Intervals follow the clock and are the same in all processes. */
export class RequestBudget {
  private readonly policy: string;
  private readonly intervalMs: number;
  private readonly reportFrom: number;

  constructor(
    private readonly name: string,
    private readonly limit: RateLimit,
    private readonly counts: ByteCache<Count>,
    private readonly report: ReportCount,
  ) {
    this.policy = `"${name}";q=${limit.requests};w=${limit.seconds}`;
    this.intervalMs = limit.seconds * 1000;
    this.reportFrom = Math.ceil(limit.requests / REPORT_FROM_PART);
  }

  /** Counts one request, unless the budget is used up. */
  take(who: string): RateLimitResult {
    const now = Date.now();
    const count = this.countOf(who, now);
    const left = this.limit.requests - count.own - count.others;
    if (left <= 0) return this.rateLimit(0, now, true);
    count.own++;
    if (count.own >= this.reportFrom && !count.isQueued)
      this.report(`${this.name} ${who}`, (count.interval + 1) * this.intervalMs, count);
    return this.rateLimit(left - 1, now, false);
  }

  /** The refusal if the budget is used up, or would be after `more` requests. Counts nothing. */
  spent(who: string, more = 0): RateLimitResult | undefined {
    const now = Date.now();
    const count = this.countOf(who, now);
    return count.own + count.others + more < this.limit.requests ? undefined : this.rateLimit(0, now, true);
  }

  private countOf(who: string, now: number): Count {
    const interval = Math.floor(now / this.intervalMs);
    const count = this.counts.getOrMake(`${this.name} ${who}`, () => ({
      interval,
      own: 0,
      reported: 0,
      acknowledged: 0,
      others: 0,
      isQueued: false,
    }));
    if (count.interval !== interval)
      Object.assign(count, {
        interval,
        own: 0,
        reported: 0,
        acknowledged: 0,
        others: 0,
      } satisfies Partial<Count>);
    return count;
  }

  private rateLimit(left: number, now: number, isRefused: boolean): RateLimitResult {
    const seconds = Math.ceil((this.intervalMs - (now % this.intervalMs)) / 1000);
    const headers = {
      'RateLimit-Policy': this.policy,
      RateLimit: `"${this.name}";r=${left};t=${seconds}`,
    };
    return { headers, refusal: isRefused ? new RateLimited(this.name, seconds, headers) : undefined };
  }
}
