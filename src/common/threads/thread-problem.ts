import { type FieldErrors, Problem, type ProblemCode } from '../problem';

/** A problem as it goes from thread to thread. */
export interface ProblemParts {
  status: number;
  code: ProblemCode;
  detail: string;
  errors: FieldErrors | undefined;
  retryAfterSeconds: number | undefined;
}

export function partsOf({ status, code, detail, errors, retryAfterSeconds }: Problem): ProblemParts {
  return { status, code, detail, errors, retryAfterSeconds };
}

export function problemOf({ status, code, detail, errors, retryAfterSeconds }: ProblemParts): Problem {
  return new Problem(status, code, detail, {
    ...(errors && { errors }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
