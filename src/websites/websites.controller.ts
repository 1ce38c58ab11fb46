import { inFormat } from '../http/answers/wanted-format';
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
import {
  Access,
  CallerId,
  CallerKey,
  CostlyCaller,
  KeepsToWebsites,
  NotForLimitedKeys,
} from '../auth/bearer.guard';
import type { ApiKey } from '../auth/api-key.entity';
import type { Caller } from '../../engine/ground/gate';
import { entityTagOf, isExpectedBy, type Precondition } from '../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { FILES_NOTE, type Listing, Lists } from '../http/answers/listing';
import { ApiFields, ApiOne, ETAG_HEADER, PageMetaView } from '../http/openapi/openapi';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { Page, WithMeta } from '../http/answers/pagination';
import { Conditional, IfMatch, Revalidated, Tagged, TagInterceptor } from '../http/answers/revalidation';
import { IdempotencyKey, Repeatable } from '../http/requests/idempotency-key';
import { NoFields } from '../validation/fields';
import { ListWebsites } from './dto/list-websites.dto';
import { StoreWebsite } from './dto/store-website.dto';
import { UpdateWebsite } from './dto/update-website.dto';
import { ChangeMetaView, DeletionView, WEBSITE_COLUMNS, WebsiteView } from './dto/website.view';
import { ApiWebsiteId, WebsiteId } from './website-id';
import { WebsitesService } from './websites.service';

const LOCATION = {
  description: 'The path of the website, or its address where `BASE_URL` is set.',
  schema: { type: 'string' as const, example: '/api/v1/websites/1' },
};

const UpdatesWebsite = (operationId: string, summary: string, description: string) =>
  applyDecorators(
    Access('full'),
    ApiOperation({ operationId, summary, description }),
    ApiWebsiteId('id'),
    ApiFields(UpdateWebsite, { privacy: 0, exclude_params: 'session\nref_*' }),
    Conditional(),
    UseInterceptors(TagInterceptor),
    ApiOne(WebsiteView, {
      description: 'The updated website.',
      headers: ETAG_HEADER,
      meta: ChangeMetaView,
    }),
    ApiProblems([400, 404, 408, 413, 415, 422, 500, 503]),
  );

class WebsitesQuery extends inFormat(ListWebsites) {}

@ApiTags('Websites')
@Controller('api/v1/websites')
@UseInterceptors(EnvelopeInterceptor)
export class WebsitesController {
  constructor(private readonly websites: WebsitesService) {}

  @Get()
  @Access('read')
  @KeepsToWebsites()
  @ApiOperation({
    operationId: 'listWebsites',
    summary: 'List websites',
    description: `The websites of the key's user, a page at a time. ${FILES_NOTE}`,
  })
  @Lists(WebsiteView, PageMetaView, 'A page of websites.')
  @ApiProblems([400, 422, 500, 503])
  list(
    @CallerId() ownerId: number,
    @Query() query: WebsitesQuery,
    @CostlyCaller() caller: Caller,
    @CallerKey() { websites: only }: ApiKey,
  ): Listing<WebsiteView> {
    return {
      name: 'websites',
      columns: WEBSITE_COLUMNS,
      page: async () => new Page(await this.websites.page(ownerId, query, only), query),
      version: () => this.websites.version(ownerId, query, only),
      pieces: () => this.websites.pieces(ownerId, query, caller, only),
    };
  }

  @Get(':id')
  @Access('read')
  @ApiOperation({
    operationId: 'getWebsite',
    summary: 'Show a website',
    description: 'A website with all its options.',
  })
  @ApiWebsiteId('id')
  @Revalidated()
  @ApiOne(WebsiteView, { description: 'The website.', headers: ETAG_HEADER })
  @ApiProblems([400, 404, 422, 500, 503])
  show(@CallerId() ownerId: number, @WebsiteId('id') id: number, @Query() _: NoFields) {
    return this.websites.show(ownerId, id);
  }

  @Post()
  @Access('full')
  @ApiOperation({
    operationId: 'createWebsite',
    summary: 'Create a website',
    description: 'Registers a website by its domain; every option may be set at once.',
  })
  @ApiFields(StoreWebsite, { domain: 'example.com' })
  @Repeatable('website')
  @UseInterceptors(TagInterceptor)
  @ApiOne(WebsiteView, {
    status: 201,
    description: 'The created website.',
    headers: { Location: LOCATION, ...ETAG_HEADER },
    meta: ChangeMetaView,
  })
  @ApiProblems([400, 408, 413, 415, 422, 500, 503])
  async store(
    @CallerId() ownerId: number,
    @Query() _: NoFields,
    @Body() input: StoreWebsite,
    @CostlyCaller('password') caller: Caller,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    const website = await this.websites.store(ownerId, input, caller, idempotencyKey);
    response.location(`/api/v1/websites/${website.id}`);
    return this.withWarnings(website);
  }

  @Put(':id')
  @UpdatesWebsite(
    'putWebsite',
    'Update a website (PUT)',
    'The same as PATCH, for clients that send PUT: an absent field stays as it is.',
  )
  async replace(
    @CallerId() ownerId: number,
    @WebsiteId('id') id: number,
    @Query() _: NoFields,
    @Body() input: UpdateWebsite,
    @IfMatch() precondition: Precondition,
    @CostlyCaller('password') caller: Caller,
  ) {
    return this.withWarnings(
      await this.websites.update(ownerId, id, input, caller, isExpectedBy(precondition)),
    );
  }

  @Patch(':id')
  @UpdatesWebsite(
    'updateWebsite',
    'Update a website',
    'An absent field stays as it is, an empty text is cleared.',
  )
  async update(
    @CallerId() ownerId: number,
    @WebsiteId('id') id: number,
    @Query() _: NoFields,
    @Body() input: UpdateWebsite,
    @IfMatch() precondition: Precondition,
    @CostlyCaller('password') caller: Caller,
  ) {
    return this.withWarnings(
      await this.websites.update(ownerId, id, input, caller, isExpectedBy(precondition)),
    );
  }

  @Delete(':id')
  @Access('full')
  @NotForLimitedKeys()
  @ApiOperation({
    operationId: 'deleteWebsite',
    summary: 'Delete a website',
    description: 'The domain stays reserved for its owner for 30 days.',
  })
  @ApiWebsiteId('id')
  @Conditional()
  @ApiOne(DeletionView, { description: 'The confirmation.' })
  @ApiProblems([400, 404, 408, 413, 415, 422, 500, 503])
  delete(
    @CallerId() ownerId: number,
    @WebsiteId('id') id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.websites.delete(ownerId, id, isExpectedBy(precondition));
  }

  /** The tag is that of the website alone. */
  private withWarnings(website: WebsiteView): Tagged<WebsiteView | WithMeta<WebsiteView>> {
    const meta = this.websites.changeMeta(website);
    return new Tagged(entityTagOf(website), meta ? new WithMeta(website, meta) : website);
  }
}
