import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access, CallerKey, KeepsToWebsites } from '../../auth/bearer.guard';
import type { ApiKey } from '../../auth/api-key.entity';
import { dayText } from '../../../engine/ground/time/days';
import { Database } from '../../../engine/database/database';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { IsFirstDay, IsLastDay } from '../../stats/dto/range';
import { checkRange } from '../../../engine/questions/range-query';
import { readDroppedCounts, readDroppedOfDays } from '../../../engine/hits/events/dropped-events';
import { IsPositiveInteger, Required } from '../../validation/rules';
import { websiteIdFor } from '../../websites/website-id';
import { WebsitesService } from '../../websites/websites.service';

const MAX_DAYS = 366;

class ShowDropped {
  @Required()
  @IsPositiveInteger()
  website!: number;

  @IsFirstDay()
  from!: number;

  @IsLastDay()
  to!: number;
}

interface DroppedView {
  reasons: { reason: string; count: number }[];
  /** The latest days, those with such events, the last first. */
  days: { day: string; reason: string; count: number }[];
}

/** Which events of a website were dropped. */
@ApiExcludeController()
@Controller('console/api/dropped')
@UseInterceptors(EnvelopeInterceptor)
export class DroppedController {
  constructor(
    private readonly websites: WebsitesService,
    private readonly database: Database,
  ) {}

  @Get()
  @Access('read')
  @KeepsToWebsites()
  async show(@CallerKey() key: ApiKey, @Query() { website, ...range }: ShowDropped): Promise<DroppedView> {
    checkRange(range);
    const { id } = await this.websites.show(key.userId, websiteIdFor(key, website));
    const latest = { ...range, from: Math.max(range.from, range.to - MAX_DAYS + 1) };
    return this.database.readQuick(async (reader) => ({
      reasons: await readDroppedCounts(reader, id, range),
      days: (await readDroppedOfDays(reader, id, latest)).map((one) => ({ ...one, day: dayText(one.day) })),
    }));
  }
}
