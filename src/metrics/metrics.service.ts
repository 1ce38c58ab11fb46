import { Injectable } from '@nestjs/common';
import { Jobs } from '../../engine/database/jobs';
import { MEASURED_THREADS } from '../../engine/ground/measures';
import { sharedFor } from '../../engine/ground/time/shared-for';
import { withTimeout } from '../../engine/ground/time/timeout';
import { HitStore } from '../../engine/port';
import { Readiness } from '../health/readiness';
import { lookAtEventLoop, processText } from './metrics-text';

const SHARED_MS = 1000;
/** Whoever asks waits no longer for what the database says. */
const LOOK_MS = 2000;

/** What the process and its threads measure. */
@Injectable()
export class MetricsService {
  /** Made once for all who ask in a second. */
  readonly text = sharedFor(SHARED_MS, () => this.make());

  constructor(
    private readonly store: HitStore,
    private readonly jobs: Jobs,
    private readonly readiness: Readiness,
  ) {}

  /** While the database is away, the answer has no numbers of it, and `ready` is 0. */
  private async make(): Promise<Buffer> {
    const looks = [this.readiness.warnings(), this.store.look(), this.jobs.look()];
    await withTimeout(LOOK_MS, Promise.allSettled(looks)).catch(() => undefined);
    lookAtEventLoop();
    return Buffer.from(await processText(MEASURED_THREADS.all()));
  }
}
