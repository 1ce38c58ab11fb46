import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import type { Precondition } from './entity-tags';
import { type Exported, FILE_HEADERS, FILES, fileUnlessKnown, sentAsFile } from './files';
import { NDJSON } from '../../../engine/hits/files/file-formats';
import { JSON_TYPE, OnlyAsJson, wantedFile, wantedFileAlone } from './wanted-format';
import { LinksView, listWithMetaSchema, pageSchema } from '../openapi/openapi';
import { ApiProblems } from '../openapi/openapi-problems';
import { type Page, Table } from './pagination';
import { ApiNotModified, knownTags, Revalidated, Tagged, TagInterceptor } from './revalidation';

/** A list that is sent as JSON, one page at a time, or as a whole file. */
export interface Listing<T extends object> extends Exported<T> {
  readonly columns: readonly (keyof T & string)[];
  /** A page need not be loaded if the caller has its entity tag. */
  page(isKnown: Precondition): Promise<Page<T> | Tagged<Page<T>>>;
}

/** Sends a page or a file of a listing, as the request prefers. */
@Injectable()
class ListingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Listing<object>>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    const format = wantedFile(request);
    return next.handle().pipe(
      mergeMap((listing) => {
        if (!format) return listing.page(knownTags(request));
        const asksForPage = 'page' in request.query || 'per_page' in request.query;
        return fileUnlessKnown(
          request,
          response,
          asksForPage ? { ...listing, ...onePage(listing) } : listing,
          format,
        );
      }),
    );
  }
}

/** Only the requested page. Its version and its rows are of one moment. */
export function onePage<T extends object>(
  listing: Pick<Listing<T>, 'page'>,
): Pick<Exported<T>, 'version' | 'pieces'> {
  let rows: readonly T[] = [];
  return {
    version: async (isKnown) => {
      const found = await listing.page(isKnown);
      rows = (found instanceof Tagged ? found.body?.rows : found.rows) ?? [];
      return found instanceof Tagged ? found.tag : rows;
    },
    pieces: () => oneOf(rows),
  };
}

export const FILES_NOTE = `The header Accept (${Object.keys(FILES).join(', ')}), or format, asks for it as a file instead: all of it, unless page or per_page is sent.`;
export const TABLE_NOTE = 'The header Accept, or format, asks for its rows as a file instead.';

/** A route that returns a Listing. */
export function Lists(view: Type, meta: Type, description: string): MethodDecorator {
  return applyDecorators(
    UseInterceptors(TagInterceptor, ListingInterceptor),
    ApiNotModified(),
    ApiExtraModels(view, LinksView, meta),
    ApiResponse({
      status: 200,
      description,
      headers: FILE_HEADERS,
      content: { [JSON_TYPE]: { schema: pageSchema(view, meta) }, ...FILES },
    }),
    ApiProblems([406]),
  );
}

/** Sends a table as JSON or as a file. */
@Injectable()
class TableInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    const format = wantedFile(request);
    if (!format) return next.handle();
    return next.handle().pipe(
      mergeMap((result) => {
        const tag = result instanceof Tagged ? result.tag : undefined;
        const body: unknown = result instanceof Tagged ? result.body : result;
        if (!(body instanceof Table)) throw new OnlyAsJson();
        const { rows, ...named } = body.file;
        const pieces = () => oneOf(rows);
        if (tag === undefined) return sentAsFile(request, response, { ...named, pieces }, format);
        const version = () => Promise.resolve(tag);
        return fileUnlessKnown(request, response, { ...named, pieces, version }, format);
      }),
    );
  }
}

async function* oneOf<T>(piece: T): AsyncGenerator<T> {
  yield await Promise.resolve(piece);
}

/** A route whose results are sent as a file too if they are a Table. */
export function MayBeTable(): MethodDecorator {
  return applyDecorators(UseInterceptors(TableInterceptor), ApiProblems([406]));
}

/** A route that returns a tagged Table. */
export function Tables(view: Type, meta: Type, description: string): MethodDecorator {
  return applyDecorators(
    Revalidated(),
    MayBeTable(),
    ApiExtraModels(view, meta),
    ApiResponse({
      status: 200,
      description,
      headers: FILE_HEADERS,
      content: { [JSON_TYPE]: { schema: listWithMetaSchema(view, meta) }, ...FILES },
    }),
  );
}

/** Sends a file in the format that the request prefers. */
@Injectable()
class ExportInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Exported<object>>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    const format = wantedFileAlone(request);
    return next.handle().pipe(mergeMap((exported) => fileUnlessKnown(request, response, exported, format)));
  }
}

/** A route whose answers are always files, with a row of this view on each line. */
export function Exports(view: Type, description: string): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(view),
    UseInterceptors(TagInterceptor, ExportInterceptor),
    ApiNotModified(),
    ApiResponse({
      status: 200,
      description,
      headers: FILE_HEADERS,
      content: filesOf(view),
    }),
    ApiProblems([406]),
  );
}

/** OpenAPI 3.1 cannot describe a line. The content schema of JSON Schema is the closest. */
function filesOf(view: Type) {
  const ofLine = { contentMediaType: NDJSON, contentSchema: { $ref: getSchemaPath(view) } };
  return { ...FILES, [NDJSON]: { schema: { type: 'string', ...ofLine } } };
}
