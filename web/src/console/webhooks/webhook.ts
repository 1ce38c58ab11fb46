export const EVENTS = ['alert', 'report', 'goal.reached'] as const;
export const STATES = ['waiting', 'sending', 'delivered', 'failed'] as const;

export interface Webhook {
  id: number;
  url: string;
  events: (typeof EVENTS)[number][];
  enabled: 0 | 1;
  created_at: string;
}

/** A webhook with its secret, which is shown this once. */
export interface Secret extends Webhook {
  secret: string;
}

export interface Delivery {
  id: number | string;
  event: (typeof EVENTS)[number] | 'test';
  state: (typeof STATES)[number];
  attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  created_at: string;
}

export interface DeliveryDetails extends Delivery {
  body: string;
  answers: Attempt[];
}

export interface Attempt {
  at: string;
  status: number | null;
  duration_ms: number;
  /** The beginning of what was answered. */
  answer: string | null;
  error: string | null;
}
