import { STATUS_CODES } from 'node:http';
import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiProperty,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';

const REQUEST_ID = '7b0c7f0e-6d1c-4a4a-9a53-6f6f2f0f1c11';

export class ProblemView {
  @ApiProperty({ example: 'about:blank' })
  type!: string;

  @ApiProperty({ example: 'Unprocessable Entity', description: 'The status in words.' })
  title!: string;

  @ApiProperty({ type: 'integer', example: 422 })
  status!: number;

  @ApiProperty({ example: 'Some fields are not allowed as they are; see "errors".' })
  detail!: string;

  @ApiProperty({ example: '/api/v1/websites', description: 'The path of the request.' })
  instance!: string;

  @ApiProperty({ example: 'invalid_fields', description: 'Which problem it is; it never changes.' })
  code!: string;

  @ApiProperty({ example: REQUEST_ID, description: 'The X-Request-Id of the answer.' })
  request_id!: string;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    example: { domain: ['is required'] },
    description: 'For each field that is wrong, what is wrong and what is allowed.',
  })
  errors?: Record<string, string[]>;
}

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

const PROBLEMS = {
  400: ['malformed', 'The request cannot be read: broken JSON, a broken escape.'],
  401: ['unauthorized', 'No key, or none that is valid.'],
  403: ['scope_too_narrow', 'The key may only read.'],
  404: ['not_found', "It does not exist, or it is another user's."],
  406: ['not_acceptable', 'It cannot be had in any of the types that Accept allows.'],
  412: [
    'precondition_failed',
    'It was changed in the meantime, or If-Match and If-None-Match ask for another version.',
  ],
  413: ['too_large', 'The body is too large.'],
  415: ['unsupported_body', 'The type of the body is not read.'],
  422: ['invalid_fields', 'A field or a parameter is not allowed as it is.'],
  500: ['internal_error', 'A fault of the service.'],
  503: ['database_unavailable', 'The database cannot be reached; try again after Retry-After seconds.'],
} as const;

export type ProblemStatus = keyof typeof PROBLEMS;

export const REQUEST_ID_HEADER = {
  'X-Request-Id': {
    description: "The request's id.",
    schema: { type: 'string' as const, example: REQUEST_ID },
  },
};
const EXTRA_HEADERS: Partial<Record<ProblemStatus, string>> = {
  401: 'WWW-Authenticate',
  403: 'WWW-Authenticate',
  503: 'Retry-After',
};

/** The errors that a route can give, each with an example. */
export function ApiProblems(statuses: readonly ProblemStatus[]): MethodDecorator & ClassDecorator {
  return applyDecorators(ApiExtraModels(ProblemView), ...statuses.map(apiProblem));
}

function apiProblem(status: ProblemStatus) {
  const [code, description] = PROBLEMS[status];
  const extra = EXTRA_HEADERS[status];
  return ApiResponse({
    status,
    description,
    headers: { ...REQUEST_ID_HEADER, ...(extra && { [extra]: { schema: { type: 'string' as const } } }) },
    content: {
      'application/problem+json': {
        schema: { $ref: getSchemaPath(ProblemView) },
        example: exampleOf(status, code, description),
      },
    },
  });
}

function exampleOf(status: ProblemStatus, code: string, detail: string) {
  return {
    type: 'about:blank',
    status,
    title: STATUS_CODES[status],
    detail,
    instance: '/api/v1/websites',
    code,
    request_id: REQUEST_ID,
    ...(status === 422 && { errors: { domain: ['is required'] } }),
  };
}

export type AnswerHeaders = Record<
  string,
  { description: string; required?: boolean; schema: { type: 'string'; example: string } }
>;

export const ETAG_HEADER: AnswerHeaders = {
  ETag: {
    description: 'The version of what is answered, for If-None-Match and If-Match.',
    schema: { type: 'string', example: '"fEKtMgzPgvqrWs7Xlz1Ixw"' },
  },
};

interface Answer {
  status?: 200 | 201 | 202;
  description: string;
  headers?: AnswerHeaders;
}

/** An answer of the form `{"data": …}`. */
export function ApiOne(view: Type, { status = 200, description, headers = {} }: Answer) {
  return applyDecorators(
    ApiExtraModels(view),
    ApiResponse({
      status,
      description,
      headers: { ...REQUEST_ID_HEADER, ...headers },
      schema: { type: 'object', required: ['data'], properties: { data: { $ref: getSchemaPath(view) } } },
    }),
  );
}

/** An answer of the form `{"data": […]}`. */
export function ApiList(view: Type, { status = 200, description }: Answer) {
  return applyDecorators(
    ApiExtraModels(view),
    ApiResponse({
      status,
      description,
      headers: REQUEST_ID_HEADER,
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { type: 'array', items: { $ref: getSchemaPath(view) } } },
      },
    }),
  );
}

/** What a page looks like: `{"data": […], "links": {…}, "meta": {…}}`. */
export function pageSchema(view: Type, meta: Type) {
  return {
    type: 'object' as const,
    required: ['data', 'links', 'meta'],
    properties: {
      data: { type: 'array' as const, items: { $ref: getSchemaPath(view) } },
      links: { $ref: getSchemaPath(LinksView) },
      meta: { $ref: getSchemaPath(meta) },
    },
  };
}

/** An answer of the form `{"data": […], "meta": {…}}`, with a tag. */
export function ApiListWithMeta(view: Type, meta: Type, description: string) {
  return applyDecorators(
    ApiExtraModels(view, meta),
    ApiResponse({
      status: 200,
      description,
      headers: { ...REQUEST_ID_HEADER, ...ETAG_HEADER },
      schema: {
        type: 'object',
        required: ['data', 'meta'],
        properties: {
          data: { type: 'array', items: { $ref: getSchemaPath(view) } },
          meta: { $ref: getSchemaPath(meta) },
        },
      },
    }),
  );
}

/** A body of the two types that are read. JSON comes first: in a form the explorer would send every empty field. */
export function ApiFields(type: Type, example: object) {
  return applyDecorators(
    ApiConsumes('application/json', 'application/x-www-form-urlencoded'),
    ApiBody({ type, examples: { 'as an example': { value: example } } }),
  );
}
