import { errorCode } from '../common/error-code';
import { Problem } from '../common/problem';

export class DatabaseUnavailable extends Problem {
  constructor(cause?: unknown) {
    super(503, 'database_unavailable', 'The database cannot be reached at the moment.', {
      retryAfterSeconds: 2,
      cause,
    });
  }
}

/** The text of a problem is meant to be read; other errors may quote data, so only their codes are shown. */
export function reasonOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return errorCode(error.cause ?? error);
  return error instanceof Problem ? error.detail : errorCode(error);
}
