import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, KeepsToWebsites } from '../auth/bearer.guard';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { ApiList } from '../http/openapi/openapi';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { Revalidated } from '../http/answers/revalidation';
import { NoFields } from '../validation/fields';
import { CollectedNames } from './collected-names';
import { NameView } from './dto/name.view';

@ApiTags('Statistics')
@Controller('api/v1/names')
@UseInterceptors(EnvelopeInterceptor)
export class NamesController {
  constructor(private readonly names: CollectedNames) {}

  @Get()
  @Access('read')
  @KeepsToWebsites()
  @Revalidated()
  @ApiOperation({
    operationId: 'listNames',
    summary: 'List names',
    description: 'The names that statistics, filters and queries take, and the unit that each counts.',
  })
  @ApiList(NameView, { description: 'All names.' })
  @ApiProblems([400, 422, 500, 503])
  list(@Query() _: NoFields): Promise<NameView[]> {
    return this.names.list();
  }
}
