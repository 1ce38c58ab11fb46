import { Injectable } from '@nestjs/common';
import { runInTurns } from '../../../engine/database/due-jobs';
import { type JobKind, Jobs, JOBS_DUE, type Turn } from '../../../engine/database/jobs';
import { Checker } from './checker';
import { type Due, DueAlertsRepository } from './due-alerts.repository';

/** Checks due alerts one after the other. */
@Injectable()
export class AlertChecks implements JobKind {
  readonly name = 'alerts';
  readonly part = 'Alerts';
  readonly everyMs = 60_000;
  readonly lease = { name: 'alerts', lengthMs: 90_000 };

  constructor(
    jobs: Jobs,
    private readonly due: DueAlertsRepository,
    private readonly checker: Checker,
  ) {
    jobs.register(this);
  }

  isAnyDue(now: number): Promise<boolean> {
    return this.due.isAnyDueUnscoped(now);
  }

  waiting(now: number): string {
    return this.due.waiting(now);
  }

  async work(turn: Turn): Promise<void> {
    const failing = new Set<number>();
    const due = async (now: number) => {
      failing.clear();
      const found = await this.due.findUnscoped(now);
      JOBS_DUE.set(found.length, this.name);
      return found;
    };
    const run = async (found: Due) => {
      const alert = failing.has(found.websiteId) ? undefined : await this.due.readUnscoped(found);
      if (alert && !(await this.checker.check(alert, turn.lease, turn.now))) failing.add(found.websiteId);
    };
    await runInTurns(turn, { due, run, places: { all: 1, ofOwner: 1 } });
  }
}
