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
import { type Exported, FILE_HEADERS, FILES, fileUnlessKnown } from './files';
import { NDJSON } from '../../../engine/hits/files/file-formats';
import { wantedFile, wantedFileAlone } from './wanted-format';
import { LinksView, pageSchema } from '../openapi/openapi';
import { ApiProblems } from '../openapi/openapi-problems';
import type { Page } from './pagination';
import { ApiNotModified, knownTags, Tagged, TagInterceptor } from './revalidation';

/** A list that is sent as JSON, one page at a time, or as a whole file. */
export interface Listing<T extends object> extends Exported<T> {
  readonly columns: readonly (keyof T & string)[];
  /** A page need not be loaded if the caller has its entity tag. */
  page(isKnown: Precondition): Promise<Page<T> | Tagged<Page<T>>>;
}

/** Sends a page or a file of a listing, depending on the header Accept. */
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
    async *pieces() {
      yield await Promise.resolve(rows);
    },
  };
}

export const FILES_NOTE = `The header Accept asks for it as a file instead (${Object.keys(FILES).join(', ')}): all of it, unless page or per_page is sent.`;

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
      content: { 'application/json': { schema: pageSchema(view, meta) }, ...FILES },
    }),
    ApiProblems([406]),
  );
}

/** Sends a file in the format of the header Accept. */
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
