import type { RateLimit } from '../config/rate-limits';
import { type RequestBudget, type RateLimitResult, UNCOUNTED } from './rate-limit';

/** The wrong keys that an address may send. */
export const WRONG_KEYS: RateLimit = { requests: 20, seconds: 60 };
/** The wrong passwords that an address may send for a website. */
export const WRONG_PASSWORDS: RateLimit = { requests: 20, seconds: 900 };

export interface Trial<K> {
  /** Null if the key is wrong or was not looked up. */
  key: K | null;
  /** The limit for a sender of wrong keys. */
  rateLimit: RateLimitResult;
}

interface Waiter {
  resolve: (refused: RateLimitResult | undefined) => void;
  reject: (error: unknown) => void;
}

class Line {
  running = 0;
  readonly waiters = new Set<Waiter>();
}

/**
 * Limits a sender's concurrent look-ups to the number of wrong keys that the sender may still send. Further keys wait
 * for these results: concurrent right keys all succeed, and concurrent wrong ones cannot pass before the first is counted.
 */
export class Guesses {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly wrongKeys: RequestBudget) {}

  async run<K>(who: string, look: () => Promise<K | null>): Promise<Trial<K>> {
    const line = this.lines.get(who) ?? new Line();
    this.lines.set(who, line);
    const refused = await this.turn(who, line);
    if (refused) return { key: null, rateLimit: refused };
    try {
      const key = await look();
      return { key, rateLimit: key === null ? this.wrongKeys.take(who) : UNCOUNTED };
    } catch (error) {
      // The others would fail on the same database.
      for (const { reject } of line.waiters) reject(error);
      line.waiters.clear();
      throw error;
    } finally {
      line.running--;
      this.startWaiters(who, line);
    }
  }

  private turn(who: string, line: Line): Promise<RateLimitResult | undefined> {
    return new Promise((resolve, reject) => {
      line.waiters.add({ resolve, reject });
      this.startWaiters(who, line);
    });
  }

  private startWaiters(who: string, line: Line): void {
    for (const waiter of line.waiters) {
      const spent = this.wrongKeys.spent(who, line.running);
      if (spent && line.running > 0) return;
      line.waiters.delete(waiter);
      if (!spent) line.running++;
      waiter.resolve(spent);
    }
    if (line.running === 0) this.lines.delete(who);
  }
}
