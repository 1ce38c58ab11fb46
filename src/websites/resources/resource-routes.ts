import { applyDecorators, Delete, Get, Patch, Post, Put, type Type, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access } from '../../auth/bearer.guard';
import type { Scope } from '../../auth/api-key.entity';
import type { Caller } from '../../../engine/ground/gate';
import { FILES_NOTE, type Listing, Lists } from '../../http/answers/listing';
import { Page } from '../../http/answers/pagination';
import { Conditional, Revalidated, TagInterceptor } from '../../http/answers/revalidation';
import { type AnswerHeaders, ApiFields, ApiOne, ETAG_HEADER, PageMetaView } from '../../http/openapi/openapi';
import { ApiProblems } from '../../http/openapi/openapi-problems';
import { Repeatable } from '../../http/requests/idempotency-key';
import { ApiWebsiteId, WebsiteId } from '../website-id';
import type { ListResources } from './list-resources.dto';
import type { Resource } from './resource.entity';
import type { ResourcesService } from './resources.service';

/** The words and classes of one kind of resource. */
interface Kind {
  /** In sentences, for example `saved filter`. */
  one: string;
  /** In paths and names of files, for example `saved-filters`. */
  path: string;
  /** In the names of operations, for example `SavedFilter`. */
  operation: string;
  about: string;
  view: Type;
  deletion: Type;
  stored: Type;
  changed: Type;
  example: object;
  /** The scope that is enough to create one; `full` by default. */
  storedBy?: Scope;
  /** Whether a form can have all of its fields. */
  isForm?: true;
}

export const resourcePath = (path: string) => `api/v1/websites/:website_id/${path}`;
export const OwnWebsiteId = () => WebsiteId('website_id');

/** Decorators for the routes of one kind of resource. */
export class ResourceRoutes {
  private readonly a: string;

  constructor(private readonly kind: Kind) {
    this.a = /^[aeiou]/.test(kind.one) ? `an ${kind.one}` : `a ${kind.one}`;
  }

  lists(): MethodDecorator {
    const { one, operation, about, view } = this.kind;
    const description = `The ${one}s of a website, a page at a time. ${about} ${FILES_NOTE}`;
    return applyDecorators(
      Get(),
      Access('read'),
      ApiOperation({ operationId: `list${operation}s`, summary: `List ${one}s`, description }),
      ApiWebsiteId('website_id'),
      Lists(view, PageMetaView, `A page of ${one}s.`),
      ApiProblems([400, 404, 422, 429, 500, 503]),
    );
  }

  shows(): MethodDecorator {
    const { one, operation, view } = this.kind;
    const [summary, description] = [`Show ${this.a}`, `One ${one} of a website.`];
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
    const { one, operation, about, view, stored, storedBy = 'full' } = this.kind;
    const headers = { Location: this.location(), ...ETAG_HEADER };
    return applyDecorators(
      Post(),
      Access(storedBy),
      ApiOperation({ operationId: `create${operation}`, summary: `Create ${this.a}`, description: about }),
      ApiWebsiteId('website_id'),
      this.body(stored),
      Repeatable(one),
      UseInterceptors(TagInterceptor),
      ApiOne(view, { status: 201, description: `The created ${one}.`, headers }),
      ApiProblems([400, 404, 413, 415, 422, 429, 500, 503]),
    );
  }

  replaces(): MethodDecorator {
    const description = 'The same as PATCH, for clients that send PUT: an absent field stays as it is.';
    const summary = `Update ${this.a} (PUT)`;
    return applyDecorators(Put(':id'), this.changes(`put${this.kind.operation}`, summary, description));
  }

  updates(): MethodDecorator {
    const description = 'An absent field stays as it is.';
    const summary = `Update ${this.a}`;
    return applyDecorators(Patch(':id'), this.changes(`update${this.kind.operation}`, summary, description));
  }

  deletes(): MethodDecorator {
    const { operation, deletion } = this.kind;
    const [summary, description] = [`Delete ${this.a}`, 'Its id is not used again.'];
    return applyDecorators(
      Delete(':id'),
      Access('full'),
      ApiOperation({ operationId: `delete${operation}`, summary, description }),
      this.ids(),
      Conditional(),
      ApiOne(deletion, { description: 'The confirmation.' }),
      ApiProblems([400, 404, 413, 415, 422, 500, 503]),
    );
  }

  /** A list of resources, as pages or as a file. */
  listingOf<V extends object>(
    service: Pick<ResourcesService<Resource, V, string>, 'page' | 'pieces' | 'version'>,
    columns: readonly (keyof V & string)[],
    [ownerId, websiteId, query, caller]: [number, number, ListResources, Caller],
  ): Listing<V> {
    return {
      name: this.kind.path,
      columns,
      page: async () => new Page(await service.page(ownerId, websiteId, query), query),
      version: () => service.version(ownerId, websiteId, query),
      pieces: () => service.pieces(ownerId, websiteId, query, caller),
    };
  }

  /** Names the path of a new resource in the answer. */
  created<V extends { id: number }>(response: Response, websiteId: number, resource: V): V {
    response.location(`/api/v1/websites/${websiteId}/${this.kind.path}/${resource.id}`);
    return resource;
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
      ApiProblems([400, 404, 413, 415, 422, 429, 500, 503]),
    );
  }

  private body(type: Type) {
    const { example, isForm } = this.kind;
    return isForm ? ApiFields(type, example) : ApiBody({ type, examples: { minimal: { value: example } } });
  }

  private ids() {
    const description = `The id of ${this.a}.`;
    const schema = { type: 'integer' as const, minimum: 1, example: 1 };
    return applyDecorators(ApiWebsiteId('website_id'), ApiParam({ name: 'id', schema, description }));
  }

  private location(): AnswerHeaders[string] {
    const { one, path } = this.kind;
    const example = `/api/v1/websites/1/${path}/1`;
    return { description: `The path of the ${one}.`, schema: { type: 'string', example } };
  }
}
