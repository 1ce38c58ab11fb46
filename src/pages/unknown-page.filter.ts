import { type ArgumentsHost, Catch, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { unknownRoute } from '../http/requests/allowed-methods';
import { ProblemFilter } from '../http/answers/problem.filter';
import { BuiltPages } from './built-pages';
import { sendPage, unknownPage } from './page';
import { rootOf } from './page-problem.filter';

/** Paths of programs, also where a browser opens them. */
const OF_PROGRAMS = /^\/(api|mcp|console\/api|share\/[^/]*\/api)(\/|$)/i;
const READS = new Set(['GET', 'HEAD']);

/** Answers people who opened an unknown address with a page, and everyone else with a problem. */
@Catch(NotFoundException)
export class UnknownPageFilter extends ProblemFilter {
  constructor(private readonly pages: BuiltPages) {
    super();
  }

  override catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const isPage = READS.has(request.method) && !OF_PROGRAMS.test(request.path);
    if (!isPage || response.headersSent || unknownRoute(error, request) !== error)
      return super.catch(error, host);
    response.vary('Accept');
    if (!prefersPage(request)) return super.catch(error, host);
    const shell = { loaded: this.pages.loadedBy('share'), root: rootOf(request.path) };
    response.status(404);
    sendPage(response, unknownPage(shell), "'none'");
  }
}

/** Whoever takes anything is a program. */
function prefersPage(request: Request): boolean {
  return request.accepts(['application/problem+json', 'application/json', 'text/html']) === 'text/html';
}
