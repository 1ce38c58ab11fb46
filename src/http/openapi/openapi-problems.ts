import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath, ApiSchema } from '@nestjs/swagger';
import { PROBLEM_CODES, type ProblemCode } from '../../../engine/ground/errors';
import { problemType } from '../../common/problems';

const REQUEST_ID = '7b0c7f0e-6d1c-4a4a-9a53-6f6f2f0f1c11';

@ApiSchema({ description: 'An error, as RFC 9457 has it.' })
export class ProblemView {
  @ApiProperty({
    example: problemType('invalid_fields'),
    description: 'The page of the guide about the code, as an address where `BASE_URL` is set.',
  })
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

const PROBLEMS = {
  400: ['malformed', 'Malformed request, like broken JSON or a broken percent escape.'],
  401: ['unauthorized', 'Missing or invalid API key.'],
  403: ['scope_too_narrow', 'The scope of the API key does not allow this.'],
  404: ['not_found', 'Not found, or owned by another user.'],
  406: ['not_acceptable', 'None of the available types matches the Accept header.'],
  408: ['timeout', 'The request did not finish in time.'],
  409: ['conflict', 'Its state does not allow this.'],
  412: [
    'precondition_failed',
    'It was changed in the meantime, or If-Match and If-None-Match ask for another version.',
  ],
  413: ['too_large', 'The body is too large.'],
  415: ['unsupported_body', 'Unsupported content type.'],
  422: ['invalid_fields', 'A field or a parameter is not valid, or a limit is reached ("limit_reached").'],
  429: [
    'rate_limited',
    'The budget of this caller is used up, or too many of its costly requests are in progress ("too_many_requests"); try again after Retry-After seconds.',
  ],
  500: ['internal_error', 'Internal error.'],
  503: [
    'database_unavailable',
    'The database cannot be reached, or the service is overloaded ("overloaded"); try again after Retry-After seconds.',
  ],
} as const satisfies Record<number, [ProblemCode, string]>;

type ProblemStatus = keyof typeof PROBLEMS;

export const REQUEST_ID_HEADER = {
  'X-Request-Id': {
    description: "The request's id.",
    schema: { type: 'string' as const, example: REQUEST_ID },
  },
};
/** Without budgets, and after some errors, answers have none. */
export const BUDGET_HEADERS = {
  RateLimit: {
    required: false,
    description: 'What remains of the budget, and in how many seconds its interval ends.',
    schema: { type: 'string' as const, example: '"management";r=1199;t=42' },
  },
  'RateLimit-Policy': {
    required: false,
    description: 'The budget: requests, and the seconds of an interval.',
    schema: { type: 'string' as const, example: '"management";q=1200;w=60' },
  },
};
const AUTHENTICATE = {
  'WWW-Authenticate': {
    description: 'That a key is sent as a bearer token.',
    schema: { type: 'string' as const, example: 'Bearer' },
  },
};
const RETRY = {
  'Retry-After': {
    description: 'After how many seconds to try again.',
    schema: { type: 'integer' as const, example: 5 },
  },
};
const EXTRA_HEADERS: Partial<Record<ProblemCode, object>> = {
  unauthorized: AUTHENTICATE,
  scope_too_narrow: AUTHENTICATE,
  rate_limited: RETRY,
  database_unavailable: RETRY,
};

type Descriptions = Partial<Record<ProblemStatus, string>>;

type Content = Record<string, { schema: { type: 'string' } }>;

/** The errors of a route, each with an example. People may get them in another form. */
export function ApiProblems(
  statuses: readonly ProblemStatus[],
  descriptions: Descriptions = {},
  forPeople: Content = {},
): MethodDecorator & ClassDecorator {
  const problems = statuses.map((status) => {
    const [code, description] = PROBLEMS[status];
    return ApiProblem(status, code, descriptions[status] ?? description, forPeople);
  });
  return applyDecorators(ApiExtraModels(ProblemView), ...problems);
}

/** An error of a route, besides those that most routes have. */
export function ApiProblem(status: number, code: ProblemCode, description: string, forPeople: Content = {}) {
  return ApiResponse({
    status,
    description,
    headers: { ...REQUEST_ID_HEADER, ...EXTRA_HEADERS[code] },
    content: {
      'application/problem+json': {
        schema: { $ref: getSchemaPath(ProblemView) },
        example: exampleOf(status, code, description),
      },
      ...forPeople,
    },
  });
}

function exampleOf(status: number, code: ProblemCode, detail: string) {
  return {
    type: problemType(code),
    status,
    title: STATUS_CODES[status],
    detail,
    instance: '/api/v1/websites',
    code,
    request_id: REQUEST_ID,
    ...(code === 'invalid_fields' && { errors: { domain: ['is required'] } }),
  };
}
