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
import { type Exported, FILE_HEADERS, FILES, fileUnlessKnown } from './files';
import { NDJSON, wantedFileAlone } from './formats';
import { ApiProblems } from '../openapi/openapi-problems';
import { ApiNotModified, TagInterceptor } from './revalidation';

/** Answers with a file, in the format that the header Accept asks for. */
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

/** A route that returns what is only ever a file, with a row of this view on each line. */
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

/** OpenAPI 3.1 has no word for the schema of a line: that of JSON Schema for what a text holds is the nearest. */
function filesOf(view: Type) {
  const ofLine = { contentMediaType: NDJSON, contentSchema: { $ref: getSchemaPath(view) } };
  return { ...FILES, [NDJSON]: { schema: { type: 'string', ...ofLine } } };
}
