import { ALERT_METRICS } from '../../../engine/questions/plan/metrics';
import { MAX_LATEST } from '../../../engine/questions/conversions-request';
import type { DeliveryEvent } from '../events';

const MOMENT = { type: 'string', format: 'date-time', example: '2026-01-31T12:00:00.000Z' };
const DAY = { type: 'string', format: 'date', example: '2026-01-31' };
const COUNT = { type: 'integer', minimum: 0, example: 12 };
const TEXT = { type: 'string' };
const orNull = ({ type, ...schema }: Record<string, unknown>) => ({ ...schema, type: [type, 'null'] });

/** Fields that are all there, and perhaps others: a release may add some. */
function object(properties: Record<string, object>) {
  return { type: 'object', required: Object.keys(properties), properties };
}

const WEBSITE = object({ id: { type: 'integer', example: 1 }, domain: { ...TEXT, example: 'example.com' } });
const TOTAL = object({ count: COUNT, previous: orNull(COUNT) });
const ENTRIES = { type: 'array', items: object({ label: { ...TEXT, example: '/pricing' }, count: COUNT }) };

const GOAL = object({
  id: { type: 'integer', example: 1 },
  name: { ...TEXT, example: 'Signup' },
  conversions: COUNT,
  value: orNull({ ...TEXT, example: '49.9' }),
  currency: orNull({ ...TEXT, example: 'EUR' }),
  latest: {
    type: 'array',
    maxItems: MAX_LATEST,
    items: object({
      at: MOMENT,
      page: { ...TEXT, example: '/thanks' },
      event: orNull({ ...TEXT, example: 'signup' }),
      country: orNull({ ...TEXT, example: 'DE' }),
      referrer: orNull({ ...TEXT, example: 'news.example' }),
    }),
  },
});
const REPORT = object({
  every: { ...TEXT, enum: ['week', 'month'] },
  ...{ from: DAY, to: DAY, visitors: TOTAL, pageviews: TOTAL },
  ...{ pages: ENTRIES, referrers: ENTRIES, countries: ENTRIES, events: ENTRIES },
});
const ALERT = object({
  id: { type: 'integer', example: 1 },
  name: { ...TEXT, example: 'Many visitors' },
  metric: { ...TEXT, enum: ALERT_METRICS },
  condition: { ...TEXT, enum: ['above', 'below', 'rises', 'falls', 'silent'] },
  threshold: orNull({ type: 'number', example: 500 }),
  within: orNull({ ...TEXT, example: 'hour' }),
});
const NUMBER = { type: ['number', 'string', 'null'], example: 612 };

/** What a delivery says of its event, besides what all say. */
const CONTENTS: Record<DeliveryEvent, Record<string, object>> = {
  'goal.reached': { goals: { type: 'array', items: GOAL }, from: MOMENT, to: MOMENT },
  report: { report: REPORT },
  alert: { alert: ALERT, value: NUMBER, usual: { ...NUMBER, example: null }, from: MOMENT, to: MOMENT },
  test: {},
};
const SUMMARIES: Record<DeliveryEvent, [title: string, summary: string]> = {
  'goal.reached': ['GoalReachedDelivery', 'Visitors reached goals'],
  report: ['ReportDelivery', 'A report was mailed'],
  alert: ['AlertDelivery', 'An alert was triggered'],
  test: ['TestDelivery', 'You asked for a test'],
};

const STANDARD = 'as Standard Webhooks has it. Secrets from before that have it once they are renewed';
const HEADERS = {
  'Milepost-Delivery': ['The id of the delivery, the same in each attempt.', '12'],
  'Milepost-Event': ['The event.', 'goal.reached'],
  'Milepost-Signature': [
    'The moment of the attempt in seconds, and the signature.',
    `t=1769860800,v1=${'0'.repeat(64)}`,
  ],
  'webhook-id': [`The id of the delivery, ${STANDARD}.`, '12'],
  'webhook-timestamp': [`The moment of the attempt in seconds, ${STANDARD}.`, '1769860800'],
  'webhook-signature': [`The signature, ${STANDARD}.`, `v1,${'A'.repeat(43)}=`],
};

interface Shown {
  type?: unknown;
  example?: unknown;
  enum?: readonly unknown[];
  items?: Shown;
  properties?: Record<string, Shown>;
}

/** A sample, by which products show what their users can choose from. */
function exampleOf({ type, example, enum: values, items, properties }: Shown): unknown {
  if (example !== undefined) return example;
  if (values) return values[0];
  if (items) return [exampleOf(items)];
  if (!properties) return type === 'null' ? null : undefined;
  return Object.fromEntries(Object.entries(properties).map(([name, inside]) => [name, exampleOf(inside)]));
}

/** What is posted to webhooks, for the OpenAPI document. */
export function webhooksDocument(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(CONTENTS).map(([event, content]) => [
      event,
      { post: operationOf(event as DeliveryEvent, content) },
    ]),
  );
}

function operationOf(event: DeliveryEvent, content: Record<string, object>): object {
  const [title, summary] = SUMMARIES[event];
  const website = event === 'test' ? { type: 'null' } : WEBSITE;
  const id = { ...TEXT, example: '12', description: 'The id of the delivery, as a text.' };
  const fields = { id, event: { ...TEXT, enum: [event] }, created_at: MOMENT, website, ...content };
  return {
    operationId: `on${title}`,
    tags: ['Webhooks'],
    security: [],
    summary,
    description: `Posted to the webhooks that have the event "${event}".`,
    parameters: Object.entries(HEADERS).map(([name, [description, example]]) => ({
      ...{
        name,
        in: 'header',
        required: !name.startsWith('webhook-'),
        description,
        schema: { ...TEXT, example },
      },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { title, ...object(fields) }, example: exampleOf(object(fields)) },
      },
    },
    responses: {
      '2XX': { description: 'It was delivered.' },
      '410': { description: 'The webhook is disabled.' },
      default: { description: 'It is tried again.' },
    },
  };
}
