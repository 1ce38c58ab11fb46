import { Problem } from '../common/problem';

export class RateLimited extends Problem {
  constructor(budget: string, retryAfterSeconds: number) {
    super(429, 'rate_limited', `The budget "${budget}" of this caller is used up.`, { retryAfterSeconds });
  }
}
