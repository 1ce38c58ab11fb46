import { Logger } from '@nestjs/common';
import { driverCode, errorCode } from '../../common/error-code';
import type { Problem } from '../../common/problem';

const WINDOW_MS = 1000;
/** They occur in thousands while the database is unavailable, and their stacks are useless. */
const WITHOUT_STACK = new Set(['database_unavailable', 'overloaded']);

/** Logs a problem at once, and of those like it that follow within a second only how many there were. */
export class ProblemLog {
  private readonly repeated = new Map<string, number>();

  constructor(private readonly logger = new Logger('Problem')) {}

  add(problem: Problem, requestId: string): void {
    const { code, cause } = problem;
    const kind = cause instanceof Error ? `${code} ${errorCode(cause)}` : code;
    const count = this.repeated.get(kind);
    if (count !== undefined) {
      this.repeated.set(kind, count + 1);
      return;
    }
    this.logger.error(code, { request_id: requestId, cause: causeOf(problem) });
    this.repeated.set(kind, 0);
    setTimeout(() => this.end(code, kind), WINDOW_MS).unref();
  }

  private end(code: string, kind: string): void {
    const count = this.repeated.get(kind);
    this.repeated.delete(kind);
    if (count) this.logger.error(code, { more: count });
  }
}

/** A driver's message may quote values and SQL, so of such an error only the code and the place are kept. */
function causeOf({ code, cause }: Problem): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const known = driverCode(cause);
  const headline = known ? `${cause.name} ${known}` : `${cause.name}: ${cause.message}`;
  if (WITHOUT_STACK.has(code)) return headline;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [headline, ...frames].join('\n');
}
