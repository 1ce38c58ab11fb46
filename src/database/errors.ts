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

/** Somebody has changed the tables under the service, or put a backup of another release there. */
export class TablesDoNotFit extends Problem {
  constructor() {
    super(503, 'database_unavailable', 'The tables of the database are not those of this release.', {
      retryAfterSeconds: 2,
    });
  }
}

/** The text of a problem is meant to be read; other errors may quote data, so only their codes are shown. */
export function reasonOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return errorCode(error.cause ?? error);
  return error instanceof Problem ? error.detail : errorCode(error);
}
