import type { DatabaseAddress } from '../../config/settings';
import type { ThreadMemory } from '../queries/answer/working-memory';
import type { QueryKind, RequestOf, ResultOf } from './queries';
import { type FieldErrors, Problem, type ProblemCode } from '../../common/problem';

/** What the thread has to know from the beginning. */
export interface ThreadData {
  address: DatabaseAddress;
  timezone: string;
  cacheMb: number;
  newValuesPerDay: number;
  /** How many threads share the memory for what they keep. */
  threads: number;
  memory: ThreadMemory;
  lane: LaneName;
}

/** A thread of the scanning lane gives way to other threads where cores are scarce. */
export type LaneName = 'plain' | 'scanning';

/** How many queries a thread answers at once. */
export const QUERIES_AT_ONCE: Record<LaneName, number> = { plain: 4, scanning: 1 };

export interface ThreadQuery<K extends QueryKind = QueryKind> {
  /** Its answer has it too. */
  query: number;
  kind: K;
  request: RequestOf<K>;
  patienceMs: number;
  /** Not zero once the work is to end. */
  end: Int32Array;
}

/** Says that nobody reads a list any more; there is no answer. */
export interface ListEnd {
  closed: number;
}

/** Why the work is to end before its time is up. */
export const END = { callerLeft: 1, othersWait: 2 };

export type ThreadAnswer = { query: number } & Outcome;

export type Outcome =
  { result: ResultOf<QueryKind> } | { problem: ProblemParts } | { left: true } | { failure: Failure };

/** An error that is no problem of a caller. */
export interface Failure {
  name: string;
  message: string;
  stack: string | undefined;
  /** That of the driver. */
  code: string | undefined;
}

/** A problem as it goes from thread to thread. */
interface ProblemParts {
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
