import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { respondWithProblem } from './problem-response';
import { pathOf } from '../requests/requests';
import { Problem } from '../../../engine/ground/errors';

class MethodNotAllowed extends Problem {
  constructor(readonly allowed: string) {
    super('method_not_allowed', `Allowed methods: ${allowed}.`);
  }
}

/** Express's internal record of a route or a middleware. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): unknown;
}

/** The error for an unknown route. It is MethodNotAllowed if other methods exist for the path. */
export function unknownRoute(error: unknown, { app, path }: Request): unknown {
  if (!(error instanceof HttpException) || error.getStatus() !== 404) return error;
  const layers = (app.router as unknown as { stack: Layer[] }).stack;
  const methods = layers.flatMap((layer) =>
    layer.route && layer.match(path) ? Object.keys(layer.route.methods) : [],
  );
  if (methods.includes('get')) methods.push('head');
  const allowed = [...new Set(methods)].map((method) => method.toUpperCase()).sort();
  return allowed.length > 0 ? new MethodNotAllowed(allowed.join(', ')) : error;
}

/** Answers with the problem of an error that a route throws. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = unknownRoute(error, request);
    if (problem instanceof MethodNotAllowed) response.set('Allow', problem.allowed);
    respondWithProblem(response, problem, pathOf(request));
  }
}
