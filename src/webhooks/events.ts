/** The events that a webhook may have. */
export const WEBHOOK_EVENTS = ['alert', 'report', 'goal.reached'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** A delivery may also be a test. */
export const DELIVERY_EVENTS = [...WEBHOOK_EVENTS, 'test'] as const;
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];
