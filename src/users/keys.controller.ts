import { Body, Controller, Delete, Get, Post, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CallerId } from '../auth/bearer.guard';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { OnlyJson } from '../http/answers/wanted-format';
import { ApiFields, ApiOne, LinksView, PageMetaView, pageSchema } from '../http/openapi/openapi';
import { ApiProblems, REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';
import { Page } from '../http/answers/pagination';
import { IdParam } from '../http/requests/id-param';
import { NoFields } from '../validation/fields';
import { PageQuery } from '../validation/page-query';
import { CreateKey } from './dto/create-key.dto';
import { KeyDeletionView, KeyView, NewKeyView } from './dto/key.view';
import { KeysService } from './keys.service';

const LOCATION = {
  description: 'The path of the key, or its address where `BASE_URL` is set.',
  schema: { type: 'string' as const, example: '/api/v1/keys/2' },
};
const KeyId = () => IdParam('id', 'Key');
const ApiKeyId = () =>
  ApiParam({
    name: 'id',
    schema: { type: 'integer', minimum: 1, example: 1 },
    description: 'The id of a key.',
  });

@ApiTags('Account')
@Controller('api/v1/keys')
@UseInterceptors(EnvelopeInterceptor)
@ApiExtraModels(KeyView, LinksView, PageMetaView)
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Get()
  @OnlyJson()
  @Access('full')
  @ApiOperation({
    operationId: 'listKeys',
    summary: 'List your API keys',
    description: 'Expired keys are listed, deleted ones are not.',
  })
  @ApiResponse({
    status: 200,
    description: 'A page of keys, in the order of their creation.',
    headers: REQUEST_ID_HEADER,
    schema: pageSchema(KeyView, PageMetaView),
  })
  @ApiProblems([400, 422, 500, 503])
  async list(@CallerId() ownerId: number, @Query() query: PageQuery) {
    return new Page(await this.keys.page(ownerId, query), query);
  }

  @Get(':id')
  @Access('full')
  @ApiOperation({ operationId: 'getKey', summary: 'Show an API key', description: 'Without the key itself.' })
  @ApiKeyId()
  @ApiOne(KeyView, { description: 'The key.' })
  @ApiProblems([400, 404, 422, 500, 503])
  show(@CallerId() ownerId: number, @KeyId() id: number, @Query() _: NoFields) {
    return this.keys.show(ownerId, id);
  }

  @Post()
  @Access('full')
  @ApiOperation({
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'The answer contains the key, which cannot be read again.',
  })
  @ApiFields(CreateKey, { name: 'dashboard', scope: 'read' })
  @ApiOne(NewKeyView, { status: 201, description: 'The new key.', headers: { Location: LOCATION } })
  @ApiProblems([400, 408, 413, 415, 422, 500, 503])
  async create(
    @CallerId() ownerId: number,
    @Query() _: NoFields,
    @Body() wish: CreateKey,
    @Res({ passthrough: true }) response: Response,
  ) {
    const key = await this.keys.create(ownerId, wish);
    response.location(`/api/v1/keys/${key.id}`).set('Cache-Control', 'no-store');
    return key;
  }

  @Delete(':id')
  @Access('full')
  @ApiOperation({
    operationId: 'deleteKey',
    summary: 'Delete an API key',
    description: 'It stops working at once, even if it is the key of this request.',
  })
  @ApiKeyId()
  @ApiOne(KeyDeletionView, { description: 'The confirmation.' })
  @ApiProblems([400, 404, 408, 413, 415, 422, 500, 503])
  delete(@CallerId() ownerId: number, @KeyId() id: number, @Query() _: NoFields, @Body() __: NoFields) {
    return this.keys.delete(ownerId, id);
  }
}
