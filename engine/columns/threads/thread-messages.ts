import type { Moves } from '../../database/hit-settings';
import type { Measured } from '../../ground/measures';
import type { DatabaseAddress } from '../../database/connections/address';
import type { ThreadMemory } from '../../asking/memory/working-memory';
import type { QueryKind, RequestOf, ResultOf } from './queries';
import { DatabaseUnavailable } from '../../database/errors';
import { driverCode } from '../../ground/error-code';
import { type FieldErrors, Problem, type ProblemCode } from '../../ground/errors';
import { TimeoutError } from '../../ground/time/timeout';

/** The start data of a thread. */
export interface ThreadData {
  address: DatabaseAddress;
  timezone: string;
  cacheMb: number;
  newValuesPerDay: number;
  moves: Moves | undefined;
  /** Shared: see `ClickhouseServer`. Undefined without a remote home. */
  hangsUntil?: Int32Array | undefined;
  /** The number of threads that share the memory for caches. */
  threads: number;
  memory: ThreadMemory;
  lane: LaneName;
}

/** A thread of the scanning lane has a lower priority. */
export type LaneName = 'plain' | 'scanning';

/** The number of queries that a thread answers at once. */
export const QUERIES_AT_ONCE: Record<LaneName, number> = { plain: 4, scanning: 1 };

export interface ThreadQuery<K extends QueryKind = QueryKind> {
  /** The answer has the same number. */
  query: number;
  kind: K;
  request: RequestOf<K>;
  patienceMs: number;
  /** Set to a reason when the work must end. */
  end: Int32Array;
  /** Tells whether it may ask a remote home. */
  asksHome: boolean;
}

/** Nobody reads the list any more. It has no answer. */
export interface ListEnd {
  closed: number;
}

/** The reason why work must end before its deadline. */
export const END = { callerLeft: 1, othersWait: 2 };

/** What a thread has measured so far. */
export interface MeasuredThread {
  measured: Measured[];
}

export type ThreadAnswer = { query: number } & QueryOutcome;

export type QueryOutcome =
  | { result: ResultOf<QueryKind> }
  | { problem: ProblemParts }
  | { left: true }
  | { needsScan: true }
  | { needsHome: true }
  | { failure: Failure };

/** An error that is not the caller's. */
export interface Failure {
  name: string;
  message: string;
  stack: string | undefined;
  /** The driver's code. */
  code: string | undefined;
}

/** A problem in a form for messages. */
interface ProblemParts {
  code: ProblemCode;
  detail: string;
  errors: FieldErrors | undefined;
  retryAfterSeconds: number | undefined;
  /** Why the database could not be reached, if that is the problem. */
  outage: Failure | undefined;
}

export function failureOf(error: unknown): Failure {
  const known = Object(error) as Error;
  const { name, message, stack } = known;
  return { name, message, stack, code: driverCode(known) };
}

export function errorOf({ message, ...own }: Failure): Error {
  return Object.assign(own.name === TimeoutError.name ? new TimeoutError(message) : new Error(message), own);
}

export function problemParts(problem: Problem): ProblemParts {
  const { code, detail, errors, retryAfterSeconds } = problem;
  const outage = problem instanceof DatabaseUnavailable ? failureOf(problem.cause) : undefined;
  return { code, detail, errors, retryAfterSeconds, outage };
}

export function problemOf({ code, detail, errors, retryAfterSeconds, outage }: ProblemParts): Problem {
  if (outage) return new DatabaseUnavailable(errorOf(outage));
  return new Problem(code, detail, {
    ...(errors && { errors }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
