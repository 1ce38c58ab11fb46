import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { respondWithProblem } from './problem-response';
import { pathOf } from '../requests/requests';
import { Routes } from '../requests/routes';
import { Problem } from '../../../engine/ground/errors';

class MethodNotAllowed extends Problem {
  constructor(readonly allowed: string) {
    super('method_not_allowed', `Allowed methods: ${allowed}.`);
  }
}

/** The error for an unknown route. It is MethodNotAllowed if other methods exist for the path. */
export function unknownRoute(error: unknown, request: Request, routes: Routes): unknown {
  if (!(error instanceof HttpException) || error.getStatus() !== 404) return error;
  const { methods } = routes.of(request);
  return methods.size > 0 ? new MethodNotAllowed([...methods].sort().join(', ')) : error;
}

/** Answers with the problem of an error that a route throws. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(protected readonly routes: Routes) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = unknownRoute(error, request, this.routes);
    if (problem instanceof MethodNotAllowed) response.set('Allow', problem.allowed);
    respondWithProblem(response, problem, pathOf(request));
  }
}
