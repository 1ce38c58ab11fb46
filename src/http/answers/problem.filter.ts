import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MethodNotAllowed, unknownRoute } from '../requests/allowed-methods';
import { respondWithProblem } from './problem-response';
import { pathOf } from '../requests/requests';

/** Answers with the problem of any error that a route throws. */
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
