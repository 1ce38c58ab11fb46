import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiProperty,
  ApiResponse,
  getSchemaPath,
  ApiSchema,
} from '@nestjs/swagger';
import { OnlyJson } from '../answers/wanted-format';
import { publicName } from './openapi-document';
import { REQUEST_ID_HEADER } from './openapi-problems';

@ApiSchema({ description: 'The addresses of other pages of the list.' })
export class LinksView {
  @ApiProperty({ type: String, example: '/api/v1/websites?per_page=10&page=1' })
  first!: string;

  @ApiProperty({ type: String, example: '/api/v1/websites?per_page=10&page=3' })
  last!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  prev!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '/api/v1/websites?per_page=10&page=2' })
  next!: string | null;
}

@ApiSchema({ description: 'Which page this is.' })
export class PageMetaView {
  @ApiProperty({ type: 'integer', example: 1 })
  current_page!: number;

  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'The number of the first result shown; 0 on an empty page.',
  })
  from!: number;

  @ApiProperty({ type: 'integer', example: 3, description: 'At least 1.' })
  last_page!: number;

  @ApiProperty({ example: '/api/v1/websites' })
  path!: string;

  @ApiProperty({ type: 'integer', example: 10 })
  per_page!: number;

  @ApiProperty({
    type: 'integer',
    example: 10,
    description: 'The number of the last result shown; 0 on an empty page.',
  })
  to!: number;

  @ApiProperty({ type: 'integer', example: 21 })
  total!: number;
}

export type AnswerHeaders = Record<
  string,
  { description: string; required?: boolean; schema: { type: 'string'; example: string } }
>;

export const ETAG_HEADER: AnswerHeaders = {
  ETag: {
    description: 'The version of the resource, for If-None-Match and If-Match.',
    schema: { type: 'string', example: '"fEKtMgzPgvqrWs7Xlz1Ixw"' },
  },
};

interface Answer {
  status?: 200 | 201 | 202;
  description: string;
  headers?: AnswerHeaders;
  /** What may stand beside `data`. */
  meta?: Type;
}

/** An answer of the form `{"data": …}`. */
export function ApiOne(view: Type, { status = 200, description, headers = {}, meta }: Answer) {
  return applyDecorators(
    OnlyJson(),
    ApiExtraModels(view, ...(meta ? [meta] : [])),
    ApiResponse({
      status,
      description,
      headers: { ...REQUEST_ID_HEADER, ...headers },
      schema: {
        title: `${meta ? 'Changed' : ''}${publicName(view.name)}Response`,
        type: 'object',
        required: ['data'],
        properties: {
          data: { $ref: getSchemaPath(view) },
          ...(meta && { meta: { $ref: getSchemaPath(meta) } }),
        },
      },
    }),
  );
}

/** An answer of the form `{"data": […]}`. */
export function ApiList(view: Type, { status = 200, description }: Answer) {
  return applyDecorators(
    OnlyJson(),
    ApiExtraModels(view),
    ApiResponse({
      status,
      description,
      headers: REQUEST_ID_HEADER,
      schema: {
        title: `${publicName(view.name)}List`,
        type: 'object',
        required: ['data'],
        properties: { data: { type: 'array', items: { $ref: getSchemaPath(view) } } },
      },
    }),
  );
}

/** The schema of a page: `{"data": […], "links": {…}, "meta": {…}}`. */
export function pageSchema(view: Type, meta: Type) {
  return {
    title: `${publicName(view.name)}List`,
    type: 'object' as const,
    required: ['data', 'links', 'meta'],
    properties: {
      data: { type: 'array' as const, items: { $ref: getSchemaPath(view) } },
      links: { $ref: getSchemaPath(LinksView) },
      meta: { $ref: getSchemaPath(meta) },
    },
  };
}

/** The schema of an answer of the form `{"data": […], "meta": {…}}`. */
export function listWithMetaSchema(view: Type, meta: Type) {
  return {
    title: publicName(meta.name).replace(/Meta$/, 'Answer'),
    type: 'object' as const,
    required: ['data', 'meta'],
    properties: {
      data: { type: 'array' as const, items: { $ref: getSchemaPath(view) } },
      meta: { $ref: getSchemaPath(meta) },
    },
  };
}

/** A body as JSON or a form. JSON comes first: for a form, the explorer would send every empty field. */
export function ApiFields(type: Type, example: object) {
  return applyDecorators(
    ApiConsumes('application/json', 'application/x-www-form-urlencoded'),
    ApiBody({ type, examples: { minimal: { value: example } } }),
  );
}
