import { FILTER, PAGES_AND_EVENTS } from '../filters-field';
import { FUNNEL_ORDERS, FUNNEL_SPANS } from '../../../engine/questions/funnel-request';
import { QUESTION_LIMITS } from '../../../engine/questions/question-limits';

const { least, most } = QUESTION_LIMITS.stepsOfFunnel;

/** The fields of a funnel in the OpenAPI document. */
export const STEPS_SCHEMA = {
  type: 'array' as const,
  minItems: least,
  maxItems: most,
  items: {
    type: 'object',
    required: ['filters'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', nullable: true, maxLength: 100 },
      filters: { type: 'array', minItems: 1, items: FILTER },
    },
  },
  example: [
    {
      name: 'Pricing',
      filters: [
        ['is', 'page', ['/pricing']],
        ['is', 'event', [null]],
      ],
    },
    { name: 'Signup', filters: [['is', 'event', ['signup']]] },
  ],
  description: `${least} to ${most} steps. Each has filters, in the grammar of queries, that a hit must pass, and may have a name. ${PAGES_AND_EVENTS}`,
};

export const ORDER_SCHEMA = {
  enum: FUNNEL_ORDERS,
  default: 'open',
  description:
    'open: the hit of a step is any one after that of the step before. strict: it is the very next one.',
};

export const WITHIN_SCHEMA = {
  enum: FUNNEL_SPANS,
  default: 'visit',
  description: 'visit: all steps are of one visit. day: they are of one day, for which a visitor is known.',
};
