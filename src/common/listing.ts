import { once } from 'node:events';
import { Readable } from 'node:stream';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { FILE_FORMATS, type FileFormat, fileText, inUtf8, wantedFile } from './formats';
import {
  type AnswerHeaders,
  ApiProblems,
  ETAG_HEADER,
  LinksView,
  pageSchema,
  REQUEST_ID_HEADER,
} from './openapi';
import type { Page } from './pagination';
import { respondWithProblem } from './problem-response';
import { ApiNotModified, Tagged, TagInterceptor } from './revalidation';

/** What can be had a page at a time as JSON, and whole as a file. */
export interface Listing<T extends object> {
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly columns: readonly (keyof T & string)[];
  page(): Promise<Page<T> | Tagged<Page<T>>>;
  /** All of it, piece by piece; each is fetched when the one before has been sent. */
  pieces(): AsyncIterable<T[]>;
}

/** Gives of a listing what the header Accept asks for. */
@Injectable()
export class ListingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Listing<object>>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    const format = wantedFile(request);
    const asksForPage = 'page' in request.query || 'per_page' in request.query;
    return next.handle().pipe(
      mergeMap((listing) => {
        if (!format) return listing.page();
        return fileOf(listing, asksForPage ? onePage(listing) : listing.pieces(), format, response);
      }),
    );
  }
}

async function* onePage<T extends object>(listing: Listing<T>): AsyncGenerator<T[]> {
  const page = await listing.page();
  yield (page instanceof Tagged ? await page.load() : page).rows;
}

/** What fails before the first piece is a problem like any other; later the connection breaks, so that it is noticed. */
async function fileOf<T extends object>(
  { name, columns }: Listing<T>,
  pieces: AsyncIterable<T[]>,
  format: FileFormat,
  response: Response,
): Promise<StreamableFile> {
  const stream = Readable.from(fileText(format, columns, pieces), { highWaterMark: 1 });
  await once(stream, 'readable');
  const file = new StreamableFile(stream, {
    type: inUtf8(format.type),
    disposition: `attachment; filename="${name}.${format.extension}"`,
  });
  return file.setErrorHandler((error) => respondWithProblem(response, error, ''));
}

const HEADERS: AnswerHeaders = {
  ...REQUEST_ID_HEADER,
  ETag: { ...ETAG_HEADER.ETag!, required: false },
  'Content-Disposition': {
    required: false,
    description: 'The name of the file.',
    schema: { type: 'string', example: 'attachment; filename="websites.csv"' },
  },
};

const FILES = Object.fromEntries(
  FILE_FORMATS.map(({ type }) => [type, { schema: { type: 'string' as const } }]),
);

/** A route that returns a Listing. */
export function Lists(view: Type, meta: Type, description: string): MethodDecorator {
  return applyDecorators(
    UseInterceptors(TagInterceptor, ListingInterceptor),
    ApiNotModified(),
    ApiExtraModels(view, LinksView, meta),
    ApiResponse({
      status: 200,
      description: `${description} As a file it has no pages, unless page or per_page is sent.`,
      headers: HEADERS,
      content: { 'application/json': { schema: pageSchema(view, meta) }, ...FILES },
    }),
    ApiProblems([406]),
  );
}
