import type { MessagePort } from 'node:worker_threads';
import type { ProblemParts } from '../../common/thread-problem';
import type { DatabaseAddress } from '../../config/settings';
import type { Portion } from './portions';
import type { QuestionRequest, QuestionResult, SelectedHits, SelectionRequest } from './question';
import type { ThreadMemory } from './working-memory';

/** What the thread has to know from the beginning. */
export interface ThreadData {
  address: DatabaseAddress;
  timezone: string;
  cacheMb: number;
  /** How many threads share the memory for columns, and the work for a question. */
  threads: number;
  /** Questions about so many hits in columns, or more, are shared between them. */
  leastShared: number;
  memory: ThreadMemory;
}

export interface ThreadQuestion {
  request: QuestionRequest | SelectionRequest;
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

/** Why the work is to end before its time is up. */
export const END = { callerLeft: 1, othersWait: 2 };

export type ThreadResult = QuestionResult | SelectedHits;
export type ThreadAnswer =
  | { result: ThreadResult }
  | { scanned: true }
  | { problem: ProblemParts }
  | { left: true }
  | { failure: string };
