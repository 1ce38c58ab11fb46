import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Malformed, NotFound, Problem, TooLarge, Unexpected, UnsupportedBody } from './problem';

/** Every error of every route leaves through here. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = asProblem(error);
    const requestId = String(response.getHeader('X-Request-Id') ?? '');
    if (problem.status >= 500)
      this.logger.error(problem.code, { request_id: requestId, cause: causeOf(problem) });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response
      .status(problem.status)
      .set(problem.headers)
      .type('application/problem+json')
      .send(JSON.stringify(problem.toJSON(pathOf(request), requestId)));
  }
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { status } = error as { status?: number };
  if (status === 400) return new Malformed('The request cannot be read.');
  if (status === 404) return new NotFound('route');
  if (status === 413) return new TooLarge();
  if (status === 415) return new UnsupportedBody();
  return new Unexpected(error);
}

/** A driver's message may quote values and SQL, so of such an error only the code and the place are kept. */
function causeOf({ cause }: Problem): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code, driverError } = cause as { code?: string; driverError?: { code?: string } };
  const knownCode = driverError?.code ?? code;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  const headline = knownCode ? `${cause.name} ${knownCode}` : `${cause.name}: ${cause.message}`;
  return [headline, ...frames].join('\n');
}

function pathOf(request: Request): string {
  return request.originalUrl.split('?')[0]!;
}
