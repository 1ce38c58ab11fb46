import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { entityTagOf, HAS_NONE, isKnown, knownTag, type Precondition, preconditionOf } from './entity-tags';
import { ETAG_HEADER } from '../openapi/openapi';
import { wantedFile } from './wanted-format';
import { ApiProblems, REQUEST_ID_HEADER } from '../openapi/openapi-problems';

/** A result whose entity tag is known without hashing it. */
export class Tagged<T> {
  constructor(
    readonly tag: string,
    /** Undefined if the caller has this version. Then it was not loaded. */
    readonly body: T | undefined,
  ) {}
}

/**
 * The default for routes: a shared cache could give one caller's answer to another, including answers behind a cookie.
 */
export function keepInNoCache(_: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  next();
}

/** Sets the ETag of an answer, and answers 304 if the caller has that version. */
@Injectable()
export class TagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads) response.set('Cache-Control', 'private, no-cache');
    return next.handle().pipe(
      map((result: unknown) => {
        if (result instanceof StreamableFile) return result;
        const { tag, body } = taggedOf(result);
        const known = knownTag(request.headers, tag);
        const isUnchanged = body === undefined || (reads && known !== undefined);
        response.set('ETag', (isUnchanged && known) || tag);
        if (isUnchanged) response.status(304);
        return isUnchanged ? undefined : body;
      }),
    );
  }
}

function taggedOf(result: unknown): Tagged<unknown> {
  return result instanceof Tagged ? result : new Tagged(entityTagOf(result), result);
}

const TAG_LIST = { required: false, schema: { type: 'string' as const } };

/** A read that answers 304 to a caller who has the current version. */
export function Revalidated(): MethodDecorator {
  return applyDecorators(UseInterceptors(TagInterceptor), ApiNotModified());
}

export function ApiNotModified(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      ...TAG_LIST,
      name: 'If-None-Match',
      description: 'The ETag of an earlier answer: 304 if it would be the same.',
    }),
    ApiResponse({
      status: 304,
      description: 'Not modified: If-None-Match names the current version.',
      headers: { ...REQUEST_ID_HEADER, ...ETAG_HEADER },
    }),
  );
}

/** A change that is only made to the version in If-Match. */
export function Conditional(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      ...TAG_LIST,
      name: 'If-Match',
      description: 'The ETag of the version to change: 412 if it was changed since.',
    }),
    ApiProblems([412]),
  );
}

/** The condition of If-Match and If-None-Match on the version to change. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): Precondition =>
  preconditionOf(context.switchToHttp().getRequest<Request>().headers),
);

/** Tells whether the caller has a version already, so that it need not be loaded. A file has a tag of its own. */
export const IsKnown = createParamDecorator((_: unknown, context: ExecutionContext): Precondition => {
  const request = context.switchToHttp().getRequest<Request>();
  return wantedFile(request) ? HAS_NONE : knownTags(request);
});

export function knownTags({ headers }: Request): Precondition {
  return headers['if-none-match'] === undefined ? HAS_NONE : (tag) => isKnown(headers, tag);
}
