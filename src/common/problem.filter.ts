import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { respondWithProblem } from './problem-response';
import { pathOf } from './requests';

/** Every error of every route leaves through here. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    respondWithProblem(response, error, pathOf(request));
  }
}
