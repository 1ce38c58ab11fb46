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
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { entityTagOf, isKnown, type Precondition, preconditionOf } from './entity-tags';
import { ApiProblems, ETAG_HEADER, REQUEST_ID_HEADER } from './openapi';

/** A result that is loaded only for a caller who has not got this version of it yet. */
export class Tagged<T> {
  constructor(
    readonly tag: string,
    readonly load: () => T | Promise<T>,
  ) {}
}

/** Answers with the tag of what is answered; a read with 304 where the caller knows that tag. */
@Injectable()
export class TagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads) response.set('Cache-Control', 'private, no-cache');
    return next.handle().pipe(
      mergeMap(async (result) => {
        if (result instanceof StreamableFile) return result;
        const { tag, load } = tagged(result);
        const known = reads && isKnown(request.headers, tag);
        const body = known ? undefined : await load();
        response.set('ETag', tag);
        if (known) response.status(304);
        return body;
      }),
    );
  }
}

function tagged(result: unknown): Tagged<unknown> {
  return result instanceof Tagged ? result : new Tagged(entityTagOf(result), () => result);
}

const TAG_LIST = { required: false, schema: { type: 'string' as const } };

/** A read that costs little where the caller has got the current version already. */
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
      description: 'The caller has it already, as If-None-Match says.',
      headers: { ...REQUEST_ID_HEADER, ...ETAG_HEADER },
    }),
  );
}

/** A change that can be asked for on condition that nobody else was faster; see IfMatch. */
export function Conditional(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      ...TAG_LIST,
      name: 'If-Match',
      description: 'The ETag of what is to be changed: 412 if somebody else has changed it since.',
    }),
    ApiProblems([412]),
  );
}

/** What the caller demands of the version that is to be changed. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): Precondition =>
  preconditionOf(context.switchToHttp().getRequest<Request>().headers),
);

/** Whether the caller has got a version already; for what is made in the same moment in which its tag is known. */
export const IsKnown = createParamDecorator((_: unknown, context: ExecutionContext): Precondition => {
  const { headers } = context.switchToHttp().getRequest<Request>();
  return (tag) => isKnown(headers, tag);
});
