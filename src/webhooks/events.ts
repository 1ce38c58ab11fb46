/** The events that a webhook may have. */
export const WEBHOOK_EVENTS = ['alert', 'report', 'goal.reached'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** A delivery may also be a test. */
export const DELIVERY_EVENTS = [...WEBHOOK_EVENTS, 'test'] as const;
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

/** What a webhook posts: its own JSON, or a message for people in a chat. */
export const WEBHOOK_FORMATS = ['milepost', 'slack', 'discord', 'teams', 'ntfy'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
