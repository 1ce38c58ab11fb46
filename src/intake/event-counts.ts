import { Counter } from '../../engine/ground/measures';

/** What became of events, by their source: browsers or servers. */
export const ACCEPTED_EVENTS = new Counter(
  'events_accepted_total',
  'Events that were stored to be counted.',
  ['source'],
);
export const DUPLICATE_EVENTS = new Counter(
  'events_duplicate_total',
  'Events of servers whose id was known.',
  ['source'],
);
export const DROPPED_EVENTS = new Counter(
  'events_dropped_total',
  'Events that a rule of their website dropped.',
  ['source', 'reason'],
);
/** A batch that is refused as a whole is one of `http_requests_total`. */
export const REFUSED_EVENTS = new Counter(
  'events_refused_total',
  'Events that were refused, by the code of the problem.',
  ['source', 'code'],
);
