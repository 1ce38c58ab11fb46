import { Logger } from '@nestjs/common';
import { PAUSES_BEFORE_ATTEMPTS_MS } from '../common/retry-pauses';
import { Problem } from '../../engine/ground/errors';
import { willPass } from '../common/problems';
import type { MailOutcome, SettledState } from './mail-state';
import { SendFailure } from './send-failure';
import { TakenOver } from './claimed-mails';

const MINUTE_MS = 60_000;
const BUSY_PAUSE_MS = MINUTE_MS;
/** Damaged data stay damaged until they are repaired. */
const DAMAGED_PAUSE_MS = 60 * MINUTE_MS;

const logger = new Logger('Mails');

/** The outcomes of one attempt. */
export class Outcomes {
  constructor(
    private readonly attempts: number,
    private readonly now: () => number,
  ) {}

  ended(state: SettledState, reason: string | null = null): MailOutcome {
    return { state, reason, attempts: this.attempts + 1, dueAt: this.now(), isServerAway: false };
  }

  /** Postponed, without counting an attempt. */
  later(pauseMs: number, reason: string): MailOutcome {
    return {
      ...this.ended('waiting', reason),
      attempts: this.attempts,
      dueAt: this.now() + pauseMs,
    };
  }

  /** Undefined if another process took the mail over. */
  afterError(error: unknown, isStopping: boolean): MailOutcome | undefined {
    if (error instanceof TakenOver) return undefined;
    if (error instanceof SendFailure)
      return isStopping && ['server', 'silent'].includes(error.kind)
        ? this.later(0, error.message)
        : this.failed(error);
    if (error instanceof Problem)
      return willPass(error) ? this.later(BUSY_PAUSE_MS, error.message) : this.notMade(error.message);
    logger.error(error);
    return this.failed(new SendFailure('later', 'internal error', false));
  }

  /** The mail cannot be created; others are unaffected. */
  private notMade(reason: string): MailOutcome {
    const outcome = this.failed(new SendFailure('later', reason, false));
    return { ...outcome, dueAt: Math.max(outcome.dueAt, this.now() + DAMAGED_PAUSE_MS) };
  }

  private failed({ kind, message, recipient }: SendFailure): MailOutcome {
    if (kind === 'unknown') return this.ended('unknown', message);
    const pauseMs = kind === 'never' ? undefined : PAUSES_BEFORE_ATTEMPTS_MS[this.attempts];
    const ofServer = { isServerAway: kind === 'server', ...(kind === 'silent' && { silentAt: recipient }) };
    if (pauseMs === undefined) return { ...this.ended('failed', message), ...ofServer };
    return { ...this.ended('waiting', message), dueAt: this.now() + pauseMs, ...ofServer };
  }
}
