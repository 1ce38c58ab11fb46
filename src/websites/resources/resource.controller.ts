import {
  applyDecorators,
  Body,
  Delete,
  Get,
  Inject,
  Patch,
  Post,
  Put,
  Query,
  Res,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApiKey } from '../../auth/api-key.entity';
import { Access, CallerId, CallerKey, CostlyCaller } from '../../auth/bearer.guard';
import type { Caller } from '../../../engine/ground/gate';
import { isExpectedBy, type Precondition } from '../../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { FILES_NOTE, type Listing, Lists } from '../../http/answers/listing';
import { Page } from '../../http/answers/pagination';
import { inFormat } from '../../http/answers/wanted-format';
import { Conditional, IfMatch, Revalidated, TagInterceptor } from '../../http/answers/revalidation';
import { type AnswerHeaders, ApiFields, ApiOne, ETAG_HEADER, PageMetaView } from '../../http/openapi/openapi';
import { ApiProblem, ApiProblems } from '../../http/openapi/openapi-problems';
import { IdParam } from '../../http/requests/id-param';
import { IdempotencyKey, Repeatable } from '../../http/requests/idempotency-key';
import { ApiWebsiteId, WebsiteId } from '../website-id';
import { NoFields } from '../../validation/fields';
import type { ResourceKind } from './define-resource';
import { ListResources } from './list-resources.dto';
import type { Resource } from './resource.entity';
import type { Deletion } from './resource.view';
import type { ResourcesService } from './resources.service';

const TYPES = 'design:paramtypes';

export const resourcePath = (path: string) => `api/v1/websites/:website_id/${path}`;
export const OwnWebsiteId = () => WebsiteId('website_id');

/** Decorators for the routes of one kind of resource. */
class Routes {
  constructor(private readonly kind: ResourceKind) {}

  lists(): MethodDecorator {
    const { one, operation, about, view } = this.kind;
    const description = `The ${one}s of a website, a page at a time. ${about} ${FILES_NOTE}`;
    return applyDecorators(
      Get(),
      Access('read'),
      ApiOperation({ operationId: `list${operation}s`, summary: `List ${one}s`, description }),
      ApiWebsiteId('website_id'),
      Lists(view, PageMetaView, `A page of ${one}s.`),
      ApiProblems([400, 404, 422, 500, 503]),
    );
  }

  shows(): MethodDecorator {
    const { one, operation, view } = this.kind;
    const [summary, description] = [`Show ${this.kind.a}`, `One ${one} of a website.`];
    return applyDecorators(
      Get(':id'),
      Access('read'),
      ApiOperation({ operationId: `get${operation}`, summary, description }),
      this.ids(),
      Revalidated(),
      ApiOne(view, { description: `The ${one}.`, headers: ETAG_HEADER }),
      ApiProblems([400, 404, 422, 500, 503]),
    );
  }

  stores(): MethodDecorator {
    const { one, operation, about, view, stored, storedBy } = this.kind;
    const headers = { Location: this.location(), ...ETAG_HEADER };
    return applyDecorators(
      Post(),
      Access(storedBy),
      ApiOperation({
        operationId: `create${operation}`,
        summary: `Create ${this.kind.a}`,
        description: about,
      }),
      ApiWebsiteId('website_id'),
      this.body(stored),
      Repeatable(one),
      UseInterceptors(TagInterceptor),
      ApiOne(view, { status: 201, description: `The created ${one}.`, headers }),
      ApiProblems([400, 404, 408, 413, 415, 422, 500, 503]),
    );
  }

  replaces(): MethodDecorator {
    const description = 'The same as PATCH, for clients that send PUT: an absent field stays as it is.';
    const summary = `Update ${this.kind.a} (PUT)`;
    return applyDecorators(Put(':id'), this.changes(`put${this.kind.operation}`, summary, description));
  }

  updates(): MethodDecorator {
    const description = 'An absent field stays as it is.';
    const summary = `Update ${this.kind.a}`;
    return applyDecorators(Patch(':id'), this.changes(`update${this.kind.operation}`, summary, description));
  }

  deletes(): MethodDecorator {
    const { operation, deletion, inUse } = this.kind;
    const [summary, description] = [`Delete ${this.kind.a}`, 'Its id is not used again.'];
    return applyDecorators(
      Delete(':id'),
      Access('full'),
      ApiOperation({ operationId: `delete${operation}`, summary, description }),
      this.ids(),
      Conditional(),
      ApiOne(deletion, { description: 'The confirmation.' }),
      ApiProblems([400, 404, 408, 413, 415, 422, 500, 503]),
      ...(inUse === undefined ? [] : [ApiProblem(409, 'in_use', inUse)]),
    );
  }

  private changes(operationId: string, summary: string, description: string) {
    const { one, view, changed } = this.kind;
    return applyDecorators(
      Access('full'),
      ApiOperation({ operationId, summary, description }),
      this.ids(),
      this.body(changed),
      Conditional(),
      UseInterceptors(TagInterceptor),
      ApiOne(view, { description: `The updated ${one}.`, headers: ETAG_HEADER }),
      ApiProblems([400, 404, 408, 413, 415, 422, 500, 503]),
    );
  }

  private body(type: Type) {
    const { example, isForm } = this.kind;
    return isForm ? ApiFields(type, example) : ApiBody({ type, examples: { minimal: { value: example } } });
  }

  private ids() {
    const description = `The id of ${this.kind.a}.`;
    const schema = { type: 'integer' as const, minimum: 1, example: 1 };
    return applyDecorators(ApiWebsiteId('website_id'), ApiParam({ name: 'id', schema, description }));
  }

  private location(): AnswerHeaders[string] {
    const { one, path } = this.kind;
    const example = `/api/v1/websites/1/${path}/1`;
    return {
      description: `The path of the ${one}, or its address where \`BASE_URL\` is set.`,
      schema: { type: 'string', example },
    };
  }
}

/** The controller of one kind of resource, without its path. */
// eslint-disable-next-line max-lines-per-function -- its class needs the parameters
export function ResourceController<
  E extends Resource,
  V extends { id: number },
  S extends object,
  C extends object,
>(kind: ResourceKind<E, V, S, C>, service: Type<ResourcesService<E, V, S, C>>) {
  const routes = new Routes(kind as unknown as ResourceKind);
  const ResourceId = () => IdParam('id', kind.what);

  @UseInterceptors(EnvelopeInterceptor)
  abstract class Controller {
    @Inject(service)
    readonly resources!: ResourcesService<E, V, S, C>;

    @routes.lists()
    list(
      @CallerId() ownerId: number,
      @OwnWebsiteId() websiteId: number,
      @Query() query: ListResources,
      @CostlyCaller() caller: Caller,
    ): Listing<V> {
      return {
        name: kind.path,
        columns: kind.columns,
        page: async () => new Page(await this.resources.page(ownerId, websiteId, query), query),
        version: () => this.resources.version(ownerId, websiteId, query),
        pieces: () => this.resources.pieces(ownerId, websiteId, query, caller),
      };
    }

    @routes.shows()
    show(
      @CallerId() ownerId: number,
      @OwnWebsiteId() websiteId: number,
      @ResourceId() id: number,
      @Query() _: NoFields,
    ): Promise<V> {
      return this.resources.show(ownerId, websiteId, id);
    }

    @routes.stores()
    async store(
      @CallerKey() caller: ApiKey,
      @OwnWebsiteId() websiteId: number,
      @Query() _: NoFields,
      @Body() input: S,
      @IdempotencyKey() key: string | undefined,
      @Res({ passthrough: true }) response: Response,
    ): Promise<V> {
      const resource = await this.resources.storeAs(caller, websiteId, input, key);
      response.location(`/api/v1/websites/${websiteId}/${kind.path}/${resource.id}`);
      return resource;
    }

    @routes.replaces()
    replace(
      @CallerId() ownerId: number,
      @OwnWebsiteId() websiteId: number,
      @ResourceId() id: number,
      @Query() _: NoFields,
      @Body() input: C,
      @IfMatch() precondition: Precondition,
    ): Promise<V> {
      return this.resources.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
    }

    @routes.updates()
    update(
      @CallerId() ownerId: number,
      @OwnWebsiteId() websiteId: number,
      @ResourceId() id: number,
      @Query() _: NoFields,
      @Body() input: C,
      @IfMatch() precondition: Precondition,
    ): Promise<V> {
      return this.resources.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
    }

    @routes.deletes()
    delete(
      @CallerId() ownerId: number,
      @OwnWebsiteId() websiteId: number,
      @ResourceId() id: number,
      @Query() _: NoFields,
      @Body() __: NoFields,
      @IfMatch() precondition: Precondition,
    ): Promise<Deletion> {
      return this.resources.delete(ownerId, websiteId, id, isExpectedBy(precondition));
    }
  }

  // Decorators see no type parameters.
  const read = {
    list: [2, inFormat(kind.listed)],
    store: [3, kind.stored],
    replace: [4, kind.changed],
    update: [4, kind.changed],
  };
  for (const [method, [index, type]] of Object.entries(read)) {
    const types = Reflect.getMetadata(TYPES, Controller.prototype, method) as unknown[];
    Reflect.defineMetadata(TYPES, types.with(index as number, type), Controller.prototype, method);
  }
  return Controller;
}
