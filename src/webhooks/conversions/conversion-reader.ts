import { Injectable, Logger } from '@nestjs/common';
import { DayClock } from '../../common/time/day-clock';
import { Settings } from '../../config/settings';
import { reasonOf } from '../../database/errors';
import { CLOCKS_DIFFER_MS } from '../../common/time/clock-from';
import type { Lease } from '../../database/lease';
import type { ReadConversions } from '../../stats/queries/conversions/conversions-request';
import { ConversionsService } from '../../stats/queries/conversions/conversions.service';
import { firstFollowedDay } from '../../storage/followed-websites';
import { FollowedRepository, type WantedWebsite } from './followed.repository';
import { addedUp, goalsContent } from './goals-content';

/** The parts of a reading, each of some 128,000 hits. What is left goes into the next delivery. */
const MAX_PARTS = 50;

/** Reads the new hits of one website, and adds deliveries of its conversions. */
@Injectable()
export class ConversionReader {
  private readonly logger = new Logger('Webhooks');
  private readonly clock: DayClock;

  constructor(
    private readonly followed: FollowedRepository,
    private readonly conversions: ConversionsService,
    { timezone }: Settings,
  ) {
    this.clock = new DayClock(timezone);
  }

  /** A website that is not followed yet is followed from now on. */
  async read(lease: Lease, website: WantedWebsite, now: number): Promise<void> {
    if (!website.followed) return this.followed.begin(lease, website.id, now);
    const today = this.clock.dayOf(now);
    const { goals, places } = await this.followed.readGoals(website.id);
    if (goals.length === 0) return;
    const filters = goals.map((goal) => goal.filters);
    const found = await this.readParts(website, firstFollowedDay(today), places, filters);
    if (found.skipped > 0)
      this.logger.warn(
        `${found.skipped} hits of website ${website.id} were not looked through for conversions: their day was sealed before`,
      );
    const { folds, readAt: lastReadAt } = website.followed;
    const from = lastReadAt > now + CLOCKS_DIFFER_MS ? now : lastReadAt;
    const readAt = Math.max(now, from + 1);
    await this.followed.store(lease, website, {
      ...{ places: found.places, readAt, today, isAll: found.isAll },
      folds: found.isAll ? found.folds : folds,
      content: goalsContent(goals, found.goals, { from, to: readAt }),
    });
  }

  private async readParts(
    { id: websiteId, ownerId }: WantedWebsite,
    from: number,
    before: ReadonlyMap<number, number>,
    goals: Parameters<ConversionsService['read']>[0]['goals'],
  ): Promise<Omit<ReadConversions, 'places'> & { places: Map<number, number> }> {
    const places = new Map(before);
    const changed = new Map<number, number>();
    let all: ReadConversions | undefined;
    for (let part = 0; part < MAX_PARTS && !all?.isAll; part++) {
      const read = await this.conversions
        .read({ ownerId, websiteId, from, places: [...places], goals })
        .catch((error: unknown) => this.restAfter(all, websiteId, error));
      if (!read) break;
      for (const [day, place] of read.places) {
        places.set(day, place);
        changed.set(day, place);
      }
      all = {
        ...read,
        skipped: read.skipped + (all?.skipped ?? 0),
        goals: all ? addedUp(all.goals, read.goals) : read.goals,
      };
    }
    return { ...all!, places: changed };
  }

  /** What was read before stays; the rest is for the next reading. */
  private restAfter(before: ReadConversions | undefined, websiteId: number, error: unknown): undefined {
    if (!before) throw error;
    this.logger.warn(`some new hits of website ${websiteId} are looked through later: ${reasonOf(error)}`);
  }
}
