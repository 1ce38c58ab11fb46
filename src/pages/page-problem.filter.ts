import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CallerLeft } from '../../engine/ground/gate';
import { statusOf } from '../common/problems';
import { ProblemFilter, unknownRoute } from '../http/answers/problem.filter';
import { wordsFor } from '../http/words/words';
import { BuiltPages } from './built-pages';
import { policyOf, problemPage, sendPage, unknownPage } from './page';
import { Routes } from '../http/requests/routes';
import { asProblem, hasKey, logProblem } from '../http/answers/problem-response';

/** Answers requests for a page with a page. */
@Catch()
export class PageProblemFilter implements ExceptionFilter {
  constructor(private readonly pages: BuiltPages) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerWithPage(error, http.getRequest(), http.getResponse(), this.pages);
  }
}

function answerWithPage(error: unknown, request: Request, response: Response, pages: BuiltPages): void {
  if (response.headersSent || error instanceof CallerLeft) return;
  const problem = asProblem(error);
  logProblem(problem, String(response.getHeader('X-Request-Id') ?? ''), hasKey(request));
  const { retryAfterSeconds } = problem;
  const status = statusOf(problem);
  if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
  response
    .status(status)
    .set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policyOf("'none'") })
    .type('html')
    .send(problemPage(shellFor(request, pages), status));
}

function shellFor(request: Request, pages: BuiltPages) {
  return { loaded: pages.loadedBy('share'), root: rootOf(request.path), words: wordsFor(request) };
}

/** No page is deeper. A relative root of a deeper path would make the answer longer than its request. */
const MAX_DEPTH = 16;

/** The relative path from a page to the root of the service. */
export function rootOf(path: string): string {
  const depth = Math.max(0, path.split('/').length - 2);
  return depth > MAX_DEPTH ? '/' : '../'.repeat(depth) || './';
}

/** Paths for programs, even if a browser opens them. */
const OF_PROGRAMS = /^\/(api|mcp|console\/api|share\/[^/]*\/api)(\/|$)/i;
const READS = new Set(['GET', 'HEAD']);

/**
 * Answers with a page if a person opened an unknown address, or one that is open to everybody and cannot be answered.
 * Anything else is answered with a problem.
 */
@Catch()
export class OpenedPageFilter extends ProblemFilter {
  constructor(
    routes: Routes,
    private readonly pages: BuiltPages,
  ) {
    super(routes);
  }

  override catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const isUnknown = error instanceof NotFoundException && READS.has(request.method);
    const isPage =
      (isUnknown || this.routes.of(request).gate === 'anyone') && !OF_PROGRAMS.test(request.path);
    if (!isPage || response.headersSent || unknownRoute(error, request, this.routes) !== error)
      return super.catch(error, host);
    response.vary('Accept');
    if (!prefersPage(request)) return super.catch(error, host);
    if (!isUnknown) return answerWithPage(error, request, response, this.pages);
    response.status(404);
    sendPage(response, unknownPage(shellFor(request, this.pages)), "'none'");
  }
}

/** A request that accepts anything is a program's. */
function prefersPage(request: Request): boolean {
  return request.accepts(['application/problem+json', 'application/json', 'text/html']) === 'text/html';
}
