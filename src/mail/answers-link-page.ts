import { applyDecorators, type ArgumentsHost, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { ApiParam, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { problemForPage } from '../http/answers/problem-response';
import { REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';
import { problemWords, wordsFor } from '../http/words/words';
import { answerPage } from './link-page';

const RETRY_AFTER = { 'Retry-After': { schema: { type: 'string' } } };
const HTML = { 'text/html': { schema: { type: 'string' as const } } };

/** For routes that links in mails lead to: whoever follows one gets a page, also for an error. */
export function AnswersLinkPage(description: string, token: { example: string; description: string }) {
  const answer = (status: number, about: string, headers: object = {}) =>
    ApiResponse({ status, description: about, headers: { ...REQUEST_ID_HEADER, ...headers }, content: HTML });
  return applyDecorators(
    ApiParam({
      name: 'token',
      schema: { type: 'string', example: token.example },
      description: token.description,
    }),
    answer(200, description),
    answer(404, 'The link is not valid.'),
    answer(429, 'The address has sent too many requests.', RETRY_AFTER),
    answer(503, 'The service is not available at the moment.', RETRY_AFTER),
    UseFilters(LinkProblemFilter),
  );
}

@Catch()
class LinkProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = problemForPage(response, error);
    if (!problem) return;
    const words = wordsFor(request);
    const page = { language: words.language, ...problemWords(words, problem.status) };
    response.send(answerPage(response, problem.status, page));
  }
}
