import { Problem } from '../common/problem';

export class DatabaseUnavailable extends Problem {
  constructor(cause?: unknown) {
    super(503, 'database_unavailable', 'The database cannot be reached at the moment.', {
      headers: { 'Retry-After': '2' },
      cause,
    });
  }
}

/** The driver's code of an error, wherever TypeORM has wrapped it. */
export function errorCode(error: unknown): string {
  const { code, driverError, name } = error as {
    code?: string;
    driverError?: { code?: string };
    name?: string;
  };
  return driverError?.code ?? code ?? name ?? 'unknown error';
}
