import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
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
import { ApiExtraModels, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { CallerLeft } from '../common/gate';
import { wantedEncoding } from './compression';
import { entityTagOf, isKnown, type Precondition } from './entity-tags';
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
import { ApiNotModified, knownTags, Tagged, TagInterceptor } from './revalidation';

/** A list that is answered as JSON, one page at a time, or as a file, whole. */
export interface Listing<T extends object> {
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly columns: readonly (keyof T & string)[];
  /** Need not load a page whose entity tag the caller knows. */
  page(isKnown: Precondition): Promise<Page<T> | Tagged<Page<T>>>;
  /** Changes with what the files hold. */
  version(): Promise<unknown>;
  /** The whole list in pieces; each is fetched when the one before was sent. */
  pieces(): AsyncIterable<T[]>;
}

/** A client that takes no byte for so long is disconnected. */
const SLOW_CLIENT_MS = 30_000;

/** Answers with a page or a file of a listing, as the header Accept asks. */
@Injectable()
export class ListingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Listing<object>>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    const format = wantedFile(request);
    return next.handle().pipe(
      mergeMap((listing) => {
        if (!format) return listing.page(knownTags(request));
        return fileUnlessKnown(request, response, listing, format);
      }),
    );
  }
}

async function fileUnlessKnown(
  request: Request,
  response: Response,
  listing: Listing<object>,
  format: FileFormat,
): Promise<StreamableFile | Tagged<never>> {
  const tag = entityTagOf([format.type, await listing.version()]);
  if (isKnown(request.headers, tag)) return new Tagged<never>(tag, undefined);
  response.set('ETag', tag);
  const asksForPage = 'page' in request.query || 'per_page' in request.query;
  const pieces = asksForPage ? onePage(listing) : listing.pieces();
  const stream = await streamOf(listing, pieces, format, response);
  const file = new StreamableFile(encoded(stream, request, response), {
    type: inUtf8(format.type),
    disposition: `attachment; filename="${listing.name}.${format.extension}"`,
  });
  return file.setErrorHandler((error) => respondWithProblem(response, error, ''));
}

async function* onePage<T extends object>(listing: Listing<T>): AsyncGenerator<T[]> {
  const page = await listing.page(() => false);
  yield (page instanceof Tagged ? page.body! : page).rows;
}

/** An error before the first piece is answered as a problem. A later one breaks the connection, so that clients notice. */
async function streamOf<T extends object>(
  { columns }: Listing<T>,
  pieces: AsyncIterable<T[]>,
  format: FileFormat,
  response: Response,
): Promise<Readable> {
  const stream = Readable.from(fileText(format, columns, pieces), { highWaterMark: 1 });
  response.once('close', () => stream.destroy(new CallerLeft()));
  await once(stream, 'readable');
  response.setTimeout(SLOW_CLIENT_MS, () => response.destroy());
  return stream;
}

function encoded(stream: Readable, request: Request, response: Response): Readable {
  response.vary('Accept-Encoding');
  const encoding = wantedEncoding(request);
  if (!encoding) return stream;
  response.set('Content-Encoding', encoding.name);
  return pipeline(stream, encoding.stream(), () => {});
}

const HEADERS: AnswerHeaders = {
  ...REQUEST_ID_HEADER,
  ...ETAG_HEADER,
  'Content-Disposition': {
    required: false,
    description: 'The name of the file.',
    schema: { type: 'string', example: 'attachment; filename="websites.csv"' },
  },
};

/** Generated clients would type every answer as "an object or a text" if these stood beside JSON. */
const FILES = Object.fromEntries(FILE_FORMATS.map(({ type }) => [type, { schema: { type: 'string' } }]));

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
      headers: HEADERS,
      content: { 'application/json': { schema: pageSchema(view, meta) } },
      'x-files': FILES,
    } as ApiResponseOptions),
    ApiProblems([406]),
  );
}
