import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { type Exported, FILE_HEADERS, FILES, fileUnlessKnown } from './files';
import { wantedFileAlone } from './formats';
import { ApiProblems } from './openapi';
import { ApiNotModified, TagInterceptor } from './revalidation';

/** Answers with a file, in the format that the header Accept asks for. */
@Injectable()
export class ExportInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Exported<object>>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    const format = wantedFileAlone(request);
    return next.handle().pipe(mergeMap((exported) => fileUnlessKnown(request, response, exported, format)));
  }
}

/** A route that returns what is only ever a file. */
export function Exports(description: string): MethodDecorator {
  return applyDecorators(
    UseInterceptors(TagInterceptor, ExportInterceptor),
    ApiNotModified(),
    ApiResponse({ status: 200, description, headers: FILE_HEADERS, content: FILES }),
    ApiProblems([406]),
  );
}
