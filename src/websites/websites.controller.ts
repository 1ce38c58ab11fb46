import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Patch,
  Post,
  Put,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CallerId } from '../auth/access';
import type { Precondition } from '../common/entity-tags';
import { EnvelopeInterceptor } from '../common/envelope.interceptor';
import { NoFields } from '../common/fields';
import { Lists } from '../common/listing';
import { ApiFields, ApiOne, ApiProblems, ETAG_HEADER, PageMetaView } from '../common/openapi';
import { Conditional, IfMatch, Revalidated, TagInterceptor } from '../common/revalidation';
import { ListWebsites } from './dto/list-websites.dto';
import { StoreWebsite } from './dto/store-website.dto';
import { UpdateWebsite } from './dto/update-website.dto';
import { DeletionView, WebsiteView } from './dto/website.view';
import { ApiWebsiteId, WebsiteId } from './website-id';
import { WebsitesService } from './websites.service';

const LOCATION = {
  description: 'The path of the website.',
  schema: { type: 'string' as const, example: '/api/v1/websites/1' },
};

const UpdatesWebsite = (description: string) =>
  applyDecorators(
    Access('full'),
    ApiOperation({ summary: 'Update a website', description }),
    ApiWebsiteId('id'),
    ApiFields(UpdateWebsite, { privacy: 0, exclude_params: 'session\nref_*' }),
    Conditional(),
    UseInterceptors(TagInterceptor),
    ApiOne(WebsiteView, { description: 'The updated website.', headers: ETAG_HEADER }),
    ApiProblems([400, 404, 413, 415, 422, 500, 503]),
  );

@ApiTags('Websites')
@Controller('api/v1/websites')
@UseInterceptors(EnvelopeInterceptor)
export class WebsitesController {
  constructor(private readonly websites: WebsitesService) {}

  @Get()
  @Access('read')
  @ApiOperation({ summary: 'List websites' })
  @Lists(WebsiteView, PageMetaView, 'A page of websites.')
  @ApiProblems([400, 422, 500, 503])
  list(@CallerId() ownerId: number, @Query() query: ListWebsites) {
    return this.websites.list(ownerId, query);
  }

  @Get(':id')
  @Access('read')
  @ApiOperation({ summary: 'Show a website' })
  @ApiWebsiteId('id')
  @Revalidated()
  @ApiOne(WebsiteView, { description: 'The website.', headers: ETAG_HEADER })
  @ApiProblems([400, 404, 422, 500, 503])
  show(@CallerId() ownerId: number, @WebsiteId('id') id: number, @Query() _: NoFields) {
    return this.websites.show(ownerId, id);
  }

  @Post()
  @Access('full')
  @ApiOperation({ summary: 'Store a website' })
  @ApiFields(StoreWebsite, { domain: 'example.com' })
  @UseInterceptors(TagInterceptor)
  @ApiOne(WebsiteView, {
    status: 201,
    description: 'The created website.',
    headers: { Location: LOCATION, ...ETAG_HEADER },
  })
  @ApiProblems([400, 413, 415, 422, 500, 503])
  async store(
    @CallerId() ownerId: number,
    @Query() _: NoFields,
    @Body() input: StoreWebsite,
    @Res({ passthrough: true }) response: Response,
  ) {
    const website = await this.websites.store(ownerId, input);
    response.location(`/api/v1/websites/${website.id}`);
    return website;
  }

  @Put(':id')
  @UpdatesWebsite('The same as PATCH: an absent field stays as it is.')
  replace(
    @CallerId() ownerId: number,
    @WebsiteId('id') id: number,
    @Query() _: NoFields,
    @Body() input: UpdateWebsite,
    @IfMatch() precondition: Precondition,
  ) {
    return this.websites.update(ownerId, id, input, precondition);
  }

  @Patch(':id')
  @UpdatesWebsite('An absent field stays as it is, an empty text is cleared.')
  update(
    @CallerId() ownerId: number,
    @WebsiteId('id') id: number,
    @Query() _: NoFields,
    @Body() input: UpdateWebsite,
    @IfMatch() precondition: Precondition,
  ) {
    return this.websites.update(ownerId, id, input, precondition);
  }

  @Delete(':id')
  @Access('full')
  @ApiOperation({ summary: 'Delete a website' })
  @ApiWebsiteId('id')
  @Conditional()
  @ApiOne(DeletionView, { description: 'The confirmation.' })
  @ApiProblems([400, 404, 413, 415, 422, 500, 503])
  delete(
    @CallerId() ownerId: number,
    @WebsiteId('id') id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.websites.delete(ownerId, id, precondition);
  }
}
