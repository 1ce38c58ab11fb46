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
import { PROBLEM_CODES, type ProblemCode } from '../common/problem';

const REQUEST_ID = '7b0c7f0e-6d1c-4a4a-9a53-6f6f2f0f1c11';

export class ProblemView {
  @ApiProperty({ example: 'about:blank' })
  type!: string;

  @ApiProperty({ example: 'Unprocessable Entity', description: 'The status in words.' })
  title!: string;

  @ApiProperty({ type: 'integer', example: 422 })
  status!: number;

  @ApiProperty({ example: 'Validation failed; see "errors".' })
  detail!: string;

  @ApiProperty({ example: '/api/v1/websites', description: 'The path of the request.' })
  instance!: string;

  @ApiProperty({
    enum: PROBLEM_CODES,
    example: 'invalid_fields',
    description: 'The kind of problem, for clients to switch on.',
  })
  code!: ProblemCode;

  @ApiProperty({ example: REQUEST_ID, description: 'The X-Request-Id of the answer.' })
  request_id!: string;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    example: { domain: ['is required'] },
    description: 'What is wrong with each field, and what is allowed.',
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
  400: ['malformed', 'Malformed request, such as broken JSON or a broken percent escape.'],
  401: ['unauthorized', 'Missing or invalid API key.'],
  403: ['scope_too_narrow', 'The scope of the API key does not allow this.'],
  404: ['not_found', 'Not found, or owned by another user.'],
  406: ['not_acceptable', 'None of the available types matches the Accept header.'],
  412: [
    'precondition_failed',
    'It was changed in the meantime, or If-Match and If-None-Match ask for another version.',
  ],
  413: ['too_large', 'The body is too large.'],
  415: ['unsupported_body', 'Unsupported content type.'],
  422: ['invalid_fields', 'A field or a parameter is not valid.'],
  429: [
    'rate_limited',
    'The budget of this caller is used up, or too many costly requests of it are under way ("too_many_requests"); try again after Retry-After seconds.',
  ],
  500: ['internal_error', 'Internal error.'],
  503: [
    'database_unavailable',
    'The database cannot be reached, or the service has too much to do ("overloaded"); try again after Retry-After seconds.',
  ],
} as const satisfies Record<number, [ProblemCode, string]>;

export type ProblemStatus = keyof typeof PROBLEMS;

export const REQUEST_ID_HEADER = {
  'X-Request-Id': {
    description: "The request's id.",
    schema: { type: 'string' as const, example: REQUEST_ID },
  },
};
const EXTRA_HEADERS: Partial<Record<ProblemCode, string>> = {
  unauthorized: 'WWW-Authenticate',
  scope_too_narrow: 'WWW-Authenticate',
  rate_limited: 'Retry-After',
  database_unavailable: 'Retry-After',
};

type Descriptions = Partial<Record<ProblemStatus, string>>;

/** The errors of a route, each with an example. */
export function ApiProblems(
  statuses: readonly ProblemStatus[],
  descriptions: Descriptions = {},
): MethodDecorator & ClassDecorator {
  const problems = statuses.map((status) => {
    const [code, description] = PROBLEMS[status];
    return ApiProblem(status, code, descriptions[status] ?? description);
  });
  return applyDecorators(ApiExtraModels(ProblemView), ...problems);
}

/** One error of a route, other than those that most routes have. */
export function ApiProblem(status: ProblemStatus, code: ProblemCode, description: string) {
  const extra = EXTRA_HEADERS[code];
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
    instance: '/',
    code,
    request_id: REQUEST_ID,
  };
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

/** The schema of a page: `{"data": […], "links": {…}, "meta": {…}}`. */
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

/** A body as JSON or a form. JSON comes first: for a form, the explorer would send every empty field. */
export function ApiFields(type: Type, example: object) {
  return applyDecorators(
    ApiConsumes('application/json', 'application/x-www-form-urlencoded'),
    ApiBody({ type, examples: { minimal: { value: example } } }),
  );
}
