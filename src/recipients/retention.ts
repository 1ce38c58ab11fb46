import { DAY_MS } from '../../engine/ground/time/days';
import type { RetentionRule } from '../../engine/database/retention-rules';
import type { Topic } from './recipient';

/** An address that nobody has confirmed for so long is forgotten. */
const PENDING_DAYS = 30;

/** The rule for what addresses decided about a topic. */
export function recipientsRetention(topic: Topic): RetentionRule {
  const one = topic === 'alerts' ? 'alert' : 'report';
  return {
    table: `${one}_recipients`,
    key: 'website_id, address',
    expiries: [
      {
        name: `${one} recipients`,
        column: 'pending_since',
        order: 'pending_since, website_id, address',
        limit: ({ now }) => (Math.floor(now / DAY_MS) - PENDING_DAYS) * DAY_MS,
      },
    ],
  };
}
