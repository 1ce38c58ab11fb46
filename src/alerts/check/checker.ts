import { Injectable, Logger } from '@nestjs/common';
import { Problem } from '../../../engine/ground/errors';
import { Counter } from '../../../engine/ground/measures';
import { isThroughOthers, statusOf } from '../../common/problems';
import { Settings } from '../../config/settings';
import { reasonOf } from '../../../engine/database/errors';
import { type Lease, LeaseLost } from '../../../engine/database/lease';
import { hasFired, NewFirings } from '../firings/new-firings';
import { AlertCounts } from './alert-counts';
import { type Checked, type DueAlert, DueAlertsRepository, keepChecked } from './due-alerts.repository';
import { type Judged, planOf, type Verdict, verdictOf, withoutFuture } from './judgement';
import { HOUR_MS, type Window, Windows } from './windows';

const MINUTE_MS = 60_000;
const MAX_ERROR_LENGTH = 250;

const CHECKS = new Counter('alert_checks_total', 'Checks of alerts that counted hits.', ['outcome']);

/** Checks one alert, and lets it fire. */
@Injectable()
export class Checker {
  private readonly logger = new Logger('Alerts');
  private readonly windows: Windows;

  constructor(
    private readonly counts: AlertCounts,
    private readonly due: DueAlertsRepository,
    private readonly firings: NewFirings,
    { timezone }: Settings,
  ) {
    this.windows = new Windows(timezone);
  }

  /** Tells whether the website's other alerts need not wait. */
  async check(found: DueAlert, lease: Lease, now: () => number): Promise<boolean> {
    const alert = withoutFuture(found, now());
    const plan = planOf(alert, this.windows, now());
    if ('dueAt' in plan) {
      await lease.write((manager) => keepChecked(manager, alert, unchanged(alert, plan.dueAt, alert.error)));
      return true;
    }
    try {
      await this.judge(alert, plan.counted, lease, now);
      return true;
    } catch (error) {
      return this.putAside(alert, error, lease, now());
    }
  }

  private async judge(
    alert: DueAlert,
    counted: [Window, ...Window[]],
    lease: Lease,
    now: () => number,
  ): Promise<void> {
    const [window] = counted;
    const { values, asOf } = await this.counts.count(alert, counted);
    const at = now();
    const verdict = verdictOf(alert, this.windows, { window, values, asOf, now: at });
    const firing = { window, value: values[0], usual: verdict.usual, at };
    const fired = await lease.write(async (manager) => {
      const isNew = verdict.fires && !(await hasFired(manager, alert.id, window));
      const checked = checkedBy(verdict, alert, window, isNew ? { at, value: values[0] } : undefined);
      return (
        (await keepChecked(manager, alert, checked)) && isNew && this.firings.add(manager, alert, firing)
      );
    });
    CHECKS.add(1, fired ? 'fired' : 'quiet');
    if (fired) this.logger.log(`alert ${alert.id} of website ${alert.websiteId} fired`);
  }

  /** A busy service says nothing about the alert. What is wrong with the alert itself does not delay others. */
  private async putAside(alert: DueAlert, error: unknown, lease: Lease, now: number): Promise<boolean> {
    if (error instanceof LeaseLost) throw error;
    CHECKS.add(1, 'failed');
    const isOwn = error instanceof Problem && isOfAlert(error);
    const isBusy = error instanceof Problem && isThroughOthers(error);
    const until = now + (isBusy ? MINUTE_MS : pauseAfter(alert.failures));
    const stated = isBusy ? alert.error : reasonFor(error);
    await lease.write((manager) => keepChecked(manager, alert, unchanged(alert, until, stated)));
    if (isOwn) return true;
    if (error instanceof Problem)
      this.logger.warn(`alerts of website ${alert.websiteId} wait: ${reasonOf(error)}`);
    else this.logger.error(error);
    await this.due.postpone(lease, alert.websiteId, until);
    return false;
  }
}

function checkedBy(
  { judgedUntil, isArmed, dueAt }: Verdict,
  { condition }: Judged,
  { to }: Window,
  fired: Checked['fired'],
): Checked {
  const windowEndsAt = condition === 'above' ? to : 0;
  return { judgedUntil, isArmed, dueAt, windowEndsAt, fired, error: null };
}

/** The state that a check found, if it belongs to what the alert watches for. */
function unchanged(alert: DueAlert, dueAt: number, error: string | null): Checked {
  const { judgedUntil, isArmed, judgedStart, startsAt } = alert;
  const isKnown = judgedStart === startsAt;
  const state = isKnown ? { judgedUntil, isArmed } : { judgedUntil: startsAt, isArmed: false };
  return { ...state, dueAt, windowEndsAt: 0, fired: undefined, error };
}

/** Tells whether other alerts of the website may be fine. */
function isOfAlert(problem: Problem): boolean {
  return problem.code === 'question_too_long' || (statusOf(problem) < 500 && statusOf(problem) !== 429);
}

/** Doubles with each failure, up to an hour. */
function pauseAfter(failures: number): number {
  return Math.min(MINUTE_MS * 2 ** failures, HOUR_MS);
}

function reasonFor(error: unknown): string {
  if (!(error instanceof Problem)) return 'internal error';
  const [named] = Object.entries(error.errors ?? {});
  const reason = named ? `${named[0].replace(/^queries\.\d+\./, '')} ${named[1][0]}` : error.detail;
  return [...reason].slice(0, MAX_ERROR_LENGTH).join('');
}
