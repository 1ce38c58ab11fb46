import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CallerId } from '../auth/access';
import { EnvelopeInterceptor } from '../common/envelope.interceptor';
import { ApiPage, ApiProblems } from '../common/openapi';
import { ApiWebsiteId, WebsiteId } from '../websites/website-id';
import { ShowStats } from './dto/show-stats.dto';
import { StatEntryView, StatsMetaView } from './dto/stats.view';
import { StatsService } from './stats.service';

@ApiTags('Stats')
@Controller('api/v1/stats')
@UseInterceptors(EnvelopeInterceptor)
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get(':website_id')
  @Access('read')
  @ApiOperation({
    summary: 'Show statistics',
    description:
      'What was counted on a website in a range of days, one entry for each value of the chosen name.',
  })
  @ApiWebsiteId('website_id')
  @ApiPage(StatEntryView, StatsMetaView, 'A page of statistic entries.')
  @ApiProblems([400, 404, 422, 500, 503])
  show(@CallerId() ownerId: number, @WebsiteId('website_id') websiteId: number, @Query() query: ShowStats) {
    return this.stats.show(ownerId, websiteId, query);
  }
}
