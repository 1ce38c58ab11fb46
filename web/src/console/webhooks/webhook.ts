export const EVENTS = ['alert', 'report', 'goal.reached'] as const;
export const FORMATS = ['milepost', 'slack', 'discord', 'teams', 'ntfy'] as const;
export const STATES = ['waiting', 'sending', 'delivered', 'failed'] as const;

export interface Webhook {
  id: number;
  url: string;
  events: (typeof EVENTS)[number][];
  format: (typeof FORMATS)[number];
  enabled: 0 | 1;
  paused_until: string | null;
  created_at: string;
}

/** The end of a pause that goes on. */
export function pauseOf({ enabled, paused_until: until }: Webhook): string | undefined {
  return enabled === 1 && until !== null && Date.parse(until) > Date.now() ? until : undefined;
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
