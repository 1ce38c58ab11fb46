import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { version as release } from '../../../package.json';
import { Access, CallerId, CostlyCaller } from '../../auth/bearer.guard';
import { dayText } from '../../../engine/ground/time/days';
import type { Caller } from '../../../engine/ground/gate';
import { Exports } from '../../http/answers/listing';
import { inFileFormat } from '../../http/answers/wanted-format';
import type { Exported } from '../../http/answers/files';
import { ApiProblems } from '../../http/openapi/openapi-problems';
import { ApiWebsiteId, WebsiteId } from '../../websites/website-id';
import { HIT_COLUMNS } from '../../../engine/hits/files/hit-lines';
import { HitView } from './hit.view';
import type { HitsVersion } from '../../../engine/questions/hits-request';
import { HitsService } from './hits.service';
import type { ResolvedFilter } from '../../../engine/questions/parse/filter';
import { IsFilter } from '../dto/filter';
import { IsFirstDay, IsLastDay } from '../dto/range';
import { Budget } from '../../http/requests/routes';

class ExportHits {
  @IsFirstDay()
  from!: number;

  @IsLastDay()
  to!: number;

  @IsFilter()
  filter?: string;
}

class HitsQuery extends inFileFormat(ExportHits) {}

@ApiTags('Statistics')
@Controller('api/v1/stats')
@Budget('statistics')
export class HitsController {
  constructor(private readonly hits: HitsService) {}

  @Get(':website_id/hits')
  @Access('full')
  @ApiOperation({
    operationId: 'exportHits',
    summary: 'Export hits',
    description:
      'All stored fields of each page view and event of a range of days, or of those that a filter selects. The hits of a day are in the order of acceptance, or by visitor once the day is over. The format is NDJSON, or CSV if the header Accept, or format, asks for it. Unknown fields are null.',
  })
  @ApiWebsiteId('website_id')
  @Exports(HitView, 'The hits, one on each line.')
  @ApiProblems([400, 404, 422, 500, 503])
  export(
    @CallerId() ownerId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() { from, to, filter }: HitsQuery,
    @CostlyCaller() caller: Caller,
  ): Exported<HitView> {
    let hits: HitsVersion = '';
    let filters: ResolvedFilter[] | undefined;
    return {
      name: `hits-${dayText(from)}-${dayText(to)}`,
      columns: HIT_COLUMNS,
      version: async () => {
        hits = await this.hits.version(ownerId, websiteId, { from, to }, caller);
        filters = await this.hits.filtersOf(ownerId, websiteId, filter);
        return [release, websiteId, filters, hits];
      },
      pieces: ({ type }) => this.hits.pieces(ownerId, websiteId, hits, filters, type, caller),
    };
  }
}
