import { inFormat } from '../../http/answers/wanted-format';
import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, CallerId, CostlyCaller } from '../../auth/bearer.guard';
import type { Caller } from '../../../engine/ground/gate';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { FILES_NOTE, type Listing, Lists } from '../../http/answers/listing';
import { Page } from '../../http/answers/pagination';
import { PageMetaView } from '../../http/openapi/openapi';
import { ApiProblems } from '../../http/openapi/openapi-problems';
import { IdParam } from '../../http/requests/id-param';
import { ApiWebsiteId } from '../../websites/website-id';
import { OwnWebsiteId, resourcePath } from '../../websites/resources/resource.controller';
import { FIRING_COLUMNS, FiringView } from './firing.view';
import { FiringsService } from './firings.service';
import { ListFirings } from './list-firings.dto';

class FiringsQuery extends inFormat(ListFirings) {}

@ApiTags('Alerts')
@Controller(resourcePath('alerts/:id/firings'))
@UseInterceptors(EnvelopeInterceptor)
export class FiringsController {
  constructor(private readonly firings: FiringsService) {}

  @Get()
  @Access('read')
  @ApiOperation({
    operationId: 'listAlertFirings',
    summary: 'List firings of an alert',
    description: `When an alert fired in the last 90 days, the latest first, a page at a time. ${FILES_NOTE}`,
  })
  @ApiWebsiteId('website_id')
  @ApiParam({
    name: 'id',
    schema: { type: 'integer', minimum: 1, example: 1 },
    description: 'The id of an alert.',
  })
  @Lists(FiringView, PageMetaView, 'A page of firings.')
  @ApiProblems([400, 404, 422, 500, 503])
  list(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @IdParam('id', 'Alert') id: number,
    @Query() query: FiringsQuery,
    @CostlyCaller() caller: Caller,
  ): Listing<FiringView> {
    return {
      name: 'firings',
      columns: FIRING_COLUMNS,
      page: async () => new Page(await this.firings.page(ownerId, websiteId, id, query), query),
      version: () => this.firings.version(ownerId, websiteId, id),
      pieces: () => this.firings.pieces(ownerId, websiteId, id, caller),
    };
  }
}
