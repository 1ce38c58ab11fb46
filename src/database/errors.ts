import { Problem } from '../common/problem';

export class DatabaseUnavailable extends Problem {
  constructor(cause?: unknown) {
    super(503, 'database_unavailable', 'The database cannot be reached at the moment.', {
      headers: { 'Retry-After': '2' },
      cause,
    });
  }
}
