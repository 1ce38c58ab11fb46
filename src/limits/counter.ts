import type { ByteCache } from '../common/memory/byte-cache';
import type { RateLimit } from '../config/rate-limits';
import { RateLimited } from './rate-limited';

/** How often somebody did something in the current interval of the clock. */
export interface Count {
  interval: number;
  /** In this process. */
  own: number;
  /** Those that were sent to the other processes, also by a write that failed. */
  reported: number;
  /** As many of them as are known to be in the row that all processes share. */
  acknowledged: number;
  /** In the other processes, as far as they told. */
  others: number;
  isQueued: boolean;
}

export const BYTES_OF_COUNT = 72;

/** How the caller stands after a request: the headers for the answer, and the error where the request is too many. */
export interface RateLimitResult {
  headers: Record<string, string>;
  refusal: RateLimited | undefined;
}

/** Of what no budget counts. */
export const UNCOUNTED: RateLimitResult = { headers: {}, refusal: undefined };

/** Tells other processes, some time later, what was counted here. */
export type Report = (label: string, endsAt: number, count: Count) => void;

/** Small counts are not worth a row that others read. */
const REPORT_FROM_PART = 20;

/** A budget of requests that each caller has in each interval. Intervals are those of the clock, alike in all processes. */
export class Counter {
  private readonly policy: string;
  private readonly intervalMs: number;
  private readonly tellFrom: number;

  constructor(
    private readonly name: string,
    private readonly limit: RateLimit,
    private readonly counts: ByteCache<Count>,
    private readonly report: Report,
  ) {
    this.policy = `"${name}";q=${limit.requests};w=${limit.seconds}`;
    this.intervalMs = limit.seconds * 1000;
    this.tellFrom = Math.ceil(limit.requests / REPORT_FROM_PART);
  }

  /** Counts one request, unless the budget is used up. */
  take(who: string): RateLimitResult {
    const now = Date.now();
    const count = this.countOf(who, now);
    const left = this.limit.requests - count.own - count.others;
    if (left <= 0) return this.rateLimit(0, now, true);
    count.own++;
    if (count.own >= this.tellFrom && !count.isQueued)
      this.report(`${this.name} ${who}`, (count.interval + 1) * this.intervalMs, count);
    return this.rateLimit(left - 1, now, false);
  }

  /** The refusal where nothing is left, or would be left once these are counted too; counts nothing. */
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
      Object.assign(count, { interval, own: 0, told: 0, acknowledged: 0, others: 0 });
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
