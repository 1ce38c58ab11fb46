import type { MessagePort } from 'node:worker_threads';
import type { ProblemParts } from '../../common/thread-problem';
import type { DatabaseAddress } from '../../config/settings';
import type { Portion } from '../questions/portions';
import type { ThreadMemory } from '../questions/working-memory';
import type { QueryKind, RequestOf, ResultOf } from './queries';

/** What the thread has to know from the beginning. */
export interface ThreadData {
  address: DatabaseAddress;
  timezone: string;
  cacheMb: number;
  /** How many threads share the memory for what they keep, and the work for a question. */
  threads: number;
  /** Questions about so many hits in columns, or more, are shared between them. */
  leastShared: number;
  memory: ThreadMemory;
  /** Whether it gives way to other threads where cores are scarce. */
  givesWay: boolean;
}

/** One query at a time. */
export interface ThreadQuery<K extends QueryKind = QueryKind> {
  kind: K;
  request: RequestOf<K>;
  patienceMs: number;
  /** Not zero once the work is to end. */
  end: Int32Array;
}

/** What a thread offers to others while it answers. */
export interface PortionOffer {
  portion: Portion;
  /** Where the result goes; it is closed where there is none. */
  port: MessagePort;
  /** Set by the one who begins: another thread, or the one that offers it. */
  isTaken: Int32Array;
  patienceMs: number;
  end: Int32Array;
}

/** Says that nobody reads a list any more; there is no answer. */
export interface ListEnd {
  closed: number;
}

/** Why the work is to end before its time is up. */
export const END = { callerLeft: 1, othersWait: 2 };

export type ThreadAnswer =
  | { result: ResultOf<QueryKind> }
  | { scanned: true }
  | { problem: ProblemParts }
  | { left: true }
  | { failure: Failure };

/** An error that is no problem of a caller. */
export interface Failure {
  name: string;
  message: string;
  stack: string | undefined;
  /** That of the driver. */
  code: string | undefined;
}
