import type { DeliveryEvent, WebhookFormat } from '../events';

export const DELIVERY_STATES = ['waiting', 'sending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What came of one attempt. */
export interface AttemptAnswer {
  at: string;
  status: number | null;
  duration_ms: number;
  /** The first bytes of the answer's body. */
  answer: string | null;
  error: string | null;
}

/** The attempts that a delivery keeps: more than one series of them has. */
export const MAX_ANSWERS = 20;
export const MAX_ANSWER_BYTES = 1000;

export interface Delivery {
  id: number;
  webhookId: number;
  event: DeliveryEvent;
  websiteId: number | null;
  state: DeliveryState;
  /** The time before which there is no attempt, or the end of the claim. */
  dueAt: number;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: number;
  endedAt: number | null;
}

/** With its texts, which lists leave out. */
export interface WholeDelivery extends Delivery {
  /** Without the id. */
  body: string;
  answers: AttemptAnswer[];
}

const PAUSED_UNTIL = '(SELECT paused_until FROM webhooks WHERE webhooks.id = own.webhook_id)';
const COLUMNS = `own.id AS id, own.webhook_id AS webhookId, own.event AS event, own.website_id AS websiteId, own.state AS state,
  CASE WHEN own.state = 'waiting' AND own.asked = 0 AND own.due_at < ${PAUSED_UNTIL} THEN ${PAUSED_UNTIL} ELSE own.due_at END AS dueAt, own.attempts AS attempts, own.last_status AS lastStatus, own.last_error AS lastError,
  own.created_at AS createdAt, own.ended_at AS endedAt`;
export const LISTED_COLUMNS = COLUMNS;
const FORMAT = '(SELECT format FROM webhooks WHERE webhooks.id = own.webhook_id)';
export const ALL_COLUMNS = `${COLUMNS}, own.answers AS answers, own.body AS body, ${FORMAT} AS format`;

export function deliveryOf(row: Delivery): Delivery {
  const { id, webhookId, websiteId, dueAt, createdAt, endedAt } = row;
  return {
    ...row,
    id: Number(id),
    webhookId: Number(webhookId),
    websiteId: websiteId === null ? null : Number(websiteId),
    dueAt: Number(dueAt),
    createdAt: Number(createdAt),
    endedAt: endedAt === null ? null : Number(endedAt),
  };
}

/** A row with all columns, whose answers are JSON. */
export function wholeDeliveryOf({
  format,
  ...row
}: Delivery & { answers: string; body: string; format: WebhookFormat }): WholeDelivery {
  const answers = JSON.parse(row.answers) as AttemptAnswer[];
  // A chat may repeat its address, also before it was known to be one.
  if (format !== 'milepost') for (const attempt of answers) attempt.answer = null;
  return { ...deliveryOf(row), body: row.body, answers };
}
