import { errorCode } from '../ground/error-code';
import { Problem } from '../ground/errors';

export class DatabaseUnavailable extends Problem {
  constructor(cause?: unknown) {
    super('database_unavailable', 'The database cannot be reached at the moment.', {
      retryAfterSeconds: 2,
      cause,
    });
  }
}

/** The tables were changed while the service runs, or a backup of another release was restored. */
export class TablesDoNotFit extends Problem {
  constructor() {
    super('database_unavailable', 'The tables of the database are not those of this release.', {
      retryAfterSeconds: 2,
    });
  }
}

/** A Problem's text may be shown; other errors may quote data, so only their codes are. */
export function reasonOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return errorCode(error.cause ?? error);
  return error instanceof Problem ? error.detail : errorCode(error);
}
