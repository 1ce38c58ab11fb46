import { Injectable, Logger } from '@nestjs/common';
import { Problem } from '../../../engine/ground/errors';
import { isThroughOthers } from '../../common/problems';
import { Database } from '../../../engine/database/database';
import { runInTurns } from '../../../engine/database/due-jobs';
import { reasonOf } from '../../../engine/database/errors';
import { type JobKind, Jobs, JOBS_DUE, type Turn } from '../../../engine/database/jobs';
import { ConversionReader } from './conversion-reader';
import {
  BETWEEN_READINGS_MS,
  FollowedRepository,
  MAX_PAUSE_MS,
  RESTS,
  unlessElsewhere,
  type WantedWebsite,
} from './followed.repository';

/** A website that takes long does not keep others waiting, nor those of its owner the ones of others. */
const PLACES = { all: 4, ofOwner: 2 };
/** The next reading of a website waits for a multiple of what this one took, so that reading takes little of the time. */
const PAUSE_FACTOR = 20;
/** The pauses of a website that fails. */
const RESTS_MS = [60_000, 300_000, 600_000];

/** Looks through the new hits of followed websites for conversions. */
@Injectable()
export class Conversions implements JobKind {
  readonly name = 'conversions';
  readonly part = 'Webhooks';
  readonly everyMs = 10_000;
  readonly lease = { name: 'conversions', lengthMs: 60_000 };
  private readonly logger = new Logger('Webhooks');

  constructor(
    jobs: Jobs,
    private readonly database: Database,
    private readonly followed: FollowedRepository,
    private readonly reader: ConversionReader,
  ) {
    jobs.register(this);
  }

  isAnyDue(): Promise<boolean> {
    return this.followed.hasWork();
  }

  waiting(now: number): string {
    return this.followed.waiting(now);
  }

  async work(turn: Turn): Promise<void> {
    for (const websiteId of await this.followed.findUnwanted())
      await unlessElsewhere(() => this.followed.end(turn.lease, websiteId));
    await runInTurns(turn, {
      due: async (at) => {
        const due = await this.followed.findDue(at);
        JOBS_DUE.set(due.length, this.name);
        return due;
      },
      run: (website) => this.read(website, turn),
      places: PLACES,
    });
  }

  private async read(website: WantedWebsite, turn: Turn): Promise<void> {
    const { lease, now } = turn;
    const begunAt = now();
    try {
      await unlessElsewhere(() => this.reader.read(lease, website, begunAt));
    } catch (error) {
      if (await this.database.isOutage(error)) throw error;
      return this.restAfter(error, website, turn);
    }
    const endedAt = now();
    const pauseMs = Math.min(PAUSE_FACTOR * (endedAt - begunAt), MAX_PAUSE_MS);
    if (pauseMs > BETWEEN_READINGS_MS)
      await RESTS.begin(lease, {
        websiteId: website.id,
        until: endedAt + pauseMs,
        tries: 0,
        reason: null,
      });
    else if (website.tries !== null) await RESTS.end(lease, website.id);
  }

  private async restAfter(
    error: unknown,
    { id: websiteId, tries: before }: WantedWebsite,
    { lease, now }: Turn,
  ): Promise<void> {
    const isBusy = error instanceof Problem && isThroughOthers(error);
    const tries = (before ?? 0) + (isBusy ? 0 : 1);
    const restMs = isBusy ? RESTS_MS[0]! : RESTS_MS[Math.min(tries, RESTS_MS.length) - 1]!;
    const reason = reasonOf(error);
    await RESTS.begin(lease, { websiteId, until: now() + restMs, tries, reason });
    this.logger.warn(
      `conversions of website ${websiteId} are looked for again in ${restMs / 60_000} minutes: ${reason}`,
    );
  }
}
