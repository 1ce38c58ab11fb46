import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { asProblem, logProblem } from '../http/answers/problem-response';
import { BuiltPages } from './built-pages';
import { policyOf, problemPage } from './page';

/** Answers people, who sent for a page, with a page. */
@Catch()
export class PageProblemFilter implements ExceptionFilter {
  constructor(private readonly pages: BuiltPages) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) return;
    const problem = asProblem(error);
    logProblem(problem, String(response.getHeader('X-Request-Id') ?? ''));
    const { status, retryAfterSeconds } = problem;
    if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
    const shell = { loaded: this.pages.loadedBy('share'), root: rootOf(request.path) };
    response
      .status(status)
      .set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policyOf("'none'") })
      .type('html')
      .send(problemPage(shell, status));
  }
}

/** Deeper than any page, where the way up would make an answer longer than its request. */
const MAX_DEPTH = 16;

/** The way from a page up to the root of the service. */
export function rootOf(path: string): string {
  const depth = Math.max(0, path.split('/').length - 2);
  return depth > MAX_DEPTH ? '/' : '../'.repeat(depth) || './';
}
