import { PAUSES_BEFORE_ATTEMPTS_MS } from '../../common/retry-pauses';
import type { AttemptAnswer, DeliveryState } from '../deliveries/delivery';
import type { Posted } from './post';
import { wordsOf } from './post-failure';

const MINUTE_MS = 60_000;
export const MAX_ATTEMPTS = PAUSES_BEFORE_ATTEMPTS_MS.length + 1;
/** After as many failures of a webhook in a row, one of its deliveries is tried now and then, and the others wait. */
export const FAILURES_BEFORE_PAUSES = 5;
/** The pauses between these attempts; the last one is repeated. */
const PAUSES_OF_WEBHOOK_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);
export const LONGEST_PAUSE_OF_WEBHOOK_MS = Math.max(...PAUSES_OF_WEBHOOK_MS);
/** The endpoint says that it is gone for good (RFC 9110). */
const GONE = 410;
/** A slower endpoint shares the slots of those that fail. */
const FAST_MS = 2000;

export interface AttemptOutcome {
  state: Exclude<DeliveryState, 'sending'>;
  attempts: number;
  dueAt: number;
  lastStatus: number | null;
  lastError: string | null;
  answer: AttemptAnswer;
  isSlow: boolean;
  /** Tells whether the webhook must be disabled. */
  isGone: boolean;
}

interface Attempt {
  /** The number of attempts before. */
  attempts: number;
  begunAt: number;
  endedAt: number;
}

/** When the pause of a webhook ends that failed this often in a row. Null without a pause. */
export function pauseAfter(failures: number, now: number): number | null {
  const pauses = failures - FAILURES_BEFORE_PAUSES;
  if (pauses < 0) return null;
  return now + PAUSES_OF_WEBHOOK_MS[Math.min(pauses, PAUSES_OF_WEBHOOK_MS.length - 1)]!;
}

export function outcomeOf(attempt: Attempt, result: Posted | Error): AttemptOutcome {
  const posted = result instanceof Error ? undefined : result;
  const status = posted?.status ?? null;
  const error = posted ? null : wordsOf(result);
  const isDelivered = status !== null && status >= 200 && status < 300;
  const { begunAt, endedAt } = attempt;
  const duration = endedAt - begunAt;
  return {
    ...stateAfter(attempt, isDelivered, status === GONE),
    attempts: attempt.attempts + 1,
    lastStatus: status,
    lastError: isDelivered ? null : (error ?? `the answer has the status ${status}`),
    answer: {
      at: new Date(begunAt).toISOString(),
      status,
      duration_ms: duration,
      answer: posted?.answer ?? null,
      error,
    },
    isSlow: !isDelivered || duration > FAST_MS,
    isGone: status === GONE,
  };
}

function stateAfter(
  { attempts, endedAt }: Attempt,
  isDelivered: boolean,
  isGone: boolean,
): Pick<AttemptOutcome, 'state' | 'dueAt'> {
  if (isDelivered) return { state: 'delivered', dueAt: endedAt };
  const pauseMs = isGone ? undefined : PAUSES_BEFORE_ATTEMPTS_MS[attempts];
  return pauseMs === undefined
    ? { state: 'failed', dueAt: endedAt }
    : { state: 'waiting', dueAt: endedAt + pauseMs };
}
