import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { NotAcceptable } from '../../common/problems';
import { FILE_FORMATS, type FileFormat } from '../../../engine/hits/files/file-formats';
import { IfSent, IsOneOf } from '../../validation/rules';
import { ApiProblems } from '../openapi/openapi-problems';

export const JSON_TYPE = 'application/json';
const TYPES = [JSON_TYPE, ...FILE_FORMATS.map(({ type }) => type)];
const FILE_NAMES = FILE_FORMATS.map(({ extension }) => extension);

/** The query with the parameter `format`, which stands for a type in the header Accept. */
export function inFormat<T extends object>(query: Type<T>, formats = ['json', ...FILE_NAMES]): Type<T> {
  class Format {
    @IfSent()
    @IsOneOf(formats)
    @ApiPropertyOptional({ enum: formats, description: 'The format, instead of the header Accept.' })
    format?: string;
  }
  return IntersectionType(query, Format) as Type<T>;
}

export function inFileFormat<T extends object>(query: Type<T>): Type<T> {
  return inFormat(query, FILE_NAMES);
}

/** The file format that the request prefers. Undefined if JSON is acceptable. */
export function wantedFile(request: Request): FileFormat | undefined {
  return request.query.format === 'json' ? undefined : (namedIn(request) ?? acceptedBy(request, TYPES));
}

/** The wanted format on routes without JSON: NDJSON, unless the request prefers another one. */
export function wantedFileAlone(request: Request): FileFormat {
  return namedIn(request) ?? acceptedBy(request, FILE_FORMATS.map(({ type }) => type).toReversed())!;
}

@Injectable()
class JsonInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    expectAccepted(context.switchToHttp().getRequest<Request>(), JSON_TYPE);
    return next.handle();
  }
}

/** A route that has only JSON. */
export function OnlyJson(): MethodDecorator {
  return applyDecorators(UseInterceptors(JsonInterceptor), ApiProblems([406]));
}

export class OnlyAsJson extends NotAcceptable {
  constructor() {
    super([JSON_TYPE]);
  }
}

function namedIn({ query }: Request): FileFormat | undefined {
  return FILE_FORMATS.find(({ extension }) => extension === query.format);
}

function acceptedBy(request: Request, types: readonly string[]): FileFormat | undefined {
  const accept = request.get('Accept')?.replaceAll(JSON_RANGE, withoutVersion);
  const asked = Object.create(request, { headers: { value: { accept } } }) as Request;
  const wanted = asked.accepts(types.map(inUtf8));
  if (wanted === false) throw new NotAcceptable(types);
  return FILE_FORMATS.find(({ type }) => inUtf8(type) === wanted);
}

const JSON_RANGE = /(application\/json)(?=\s*(?:[;,]|$))([^,]*)/gi;

/** There is one version of JSON, in UTF-8, whatever parameters a client has for others. */
function withoutVersion(_: string, type: string, parameters: string): string {
  return type + (/;\s*q=[\d.]+/i.exec(parameters)?.[0] ?? '');
}

/** For a route with one type. */
export function expectAccepted(request: Request, type: string): void {
  request.res!.vary('Accept');
  acceptedBy(request, [type]);
}

/** With the charset, an Accept that names the charset matches too. */
export function inUtf8(type: string): string {
  return `${type}; charset=utf-8`;
}
