import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiResponse } from '@nestjs/swagger';
import { ApiProblems, REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';

const HTML = { 'text/html': { schema: { type: 'string' as const } } };

/** Describes a route that links in mails lead to. */
export function AnswersLinkPage(description: string, token: { example: string; description: string }) {
  const answer = (status: number, about: string) =>
    ApiResponse({ status, description: about, headers: REQUEST_ID_HEADER, content: HTML });
  return applyDecorators(
    ApiParam({
      name: 'token',
      schema: { type: 'string', example: token.example },
      description: token.description,
    }),
    answer(200, description),
    answer(404, 'The link is not valid.'),
    ApiProblems([429, 503], {}, HTML),
  );
}
