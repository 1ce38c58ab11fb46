import { Problem } from '../common/problem';

export class RateLimited extends Problem {
  constructor(budget: string, retryAfterSeconds: number, headers: Record<string, string>) {
    const detail = `The budget "${budget}" of this caller is used up.`;
    super(429, 'rate_limited', detail, { retryAfterSeconds, headers });
  }
}
