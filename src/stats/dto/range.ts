import type { FieldOptions } from '../../common/fields';
import { day, oneOf } from '../../common/parsers';

const DAY = { type: String, format: 'date' } as const;
const COMPARABLE = ['previous'] as const;
export type Comparison = (typeof COMPARABLE)[number];

/** What each question about a range of days takes. */
export const RANGE = {
  from: {
    parse: day,
    required: true,
    api: { ...DAY, example: '2026-01-01', description: 'The first day, as Y-m-d.' },
  },
  to: {
    parse: day,
    required: true,
    api: { ...DAY, example: '2026-01-31', description: 'The last day, as Y-m-d; it is included.' },
  },
  compare: {
    parse: oneOf(COMPARABLE),
    api: {
      enum: COMPARABLE,
      description:
        'Adds what was counted in as many days right before the range: for a day its counterpart, for all else the same value.',
    },
  },
} satisfies Record<string, FieldOptions<unknown>>;
