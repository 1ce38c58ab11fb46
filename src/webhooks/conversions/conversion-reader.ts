import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../../engine/database/errors';
import { CLOCKS_DIFFER_MS } from '../../../engine/ground/time/clock-from';
import type { Lease } from '../../../engine/database/lease';
import type { ReadConversions } from '../../../engine/questions/conversions-request';
import { ConversionsService } from '../../stats/queries/conversions/conversions.service';
import type { Cursor } from '../../../engine/questions/conversions-request';
import { FollowedRepository, type WantedWebsite } from './followed.repository';
import { addedUp, goalsContent } from './goals-content';

/** The most parts of a reading, and about the number of hits of each. What is left goes into the next delivery. */
const PARTS = { most: 50, hits: 128 * 1024 };

/** Reads the new hits of one website, and adds deliveries of its conversions. */
@Injectable()
export class ConversionReader {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly followed: FollowedRepository,
    private readonly conversions: ConversionsService,
  ) {}

  /** A website that is not followed yet is followed from now on. */
  async read(lease: Lease, website: WantedWebsite, now: number): Promise<void> {
    const { goals, followed } = await this.followed.readGoals(website.id);
    if (!followed) return this.followed.begin(lease, website.id, now);
    if (goals.length === 0) return;
    const { cursor: before, readAt: lastReadAt } = followed;
    const from = lastReadAt > now + CLOCKS_DIFFER_MS ? now : lastReadAt;
    const readAt = Math.max(now, from + 1);
    const filters = goals.map((goal) => goal.filters);
    const found = await this.readParts(website, before, readAt, filters);
    if (found.skipped > 0)
      this.logger.warn(
        `${found.skipped} hits of website ${website.id} were not looked through for conversions: their day was sealed before`,
      );
    const content = goalsContent(goals, found.goals, { from, to: readAt });
    await this.followed.store(lease, website, { before, after: found.cursor, readAt, content });
  }

  private async readParts(
    { id: websiteId, ownerId }: WantedWebsite,
    before: Cursor,
    readAt: number,
    goals: Parameters<ConversionsService['read']>[0]['goals'],
  ): Promise<ReadConversions> {
    let all: ReadConversions | undefined;
    for (let part = 0; part < PARTS.most && !all?.isAll; part++) {
      const since = all?.cursor ?? before;
      const read = await this.conversions
        .read({ ownerId, websiteId, since, readAt, maxHits: PARTS.hits, goals })
        .catch((error: unknown) => this.restAfter(all, websiteId, error));
      if (!read) break;
      all = {
        ...read,
        skipped: read.skipped + (all?.skipped ?? 0),
        goals: all ? addedUp(all.goals, read.goals) : read.goals,
      };
    }
    return all!;
  }

  /** What was read before stays; the rest is for the next reading. */
  private restAfter(before: ReadConversions | undefined, websiteId: number, error: unknown): undefined {
    if (!before) throw error;
    this.logger.warn(`some new hits of website ${websiteId} are looked through later: ${reasonOf(error)}`);
  }
}
