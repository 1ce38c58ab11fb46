import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Identification } from '../auth/identification';
import type { ApiKey } from '../auth/api-key.entity';
import { ApiKeysService } from '../auth/api-keys.service';
import { checkRights, Unauthorized } from '../auth/bearer.guard';
import { TurnsOfUsers } from '../auth/turns-of-users';
import { Gate } from '../../engine/ground/gate';
import { MemoryBudget } from '../../engine/ground/memory/memory-budget';
import { Overloaded, type Problem } from '../../engine/ground/errors';
import { Malformed, UnknownMessage } from '../common/problems';
import { yieldIfNeeded } from '../../engine/ground/time/yield-if-needed';
import { inTime } from '../http/connections/answer-in-time';
import { asProblem, logProblem } from '../http/answers/problem-response';
import { ask, contentOf } from './call';
import type { Origin } from './origin';
import { Unanswerable } from './packets';
import { USE_CASES, type UseCase } from './use-cases';
import { setTimeout as sleep } from 'node:timers/promises';

/** Nest sends an answer some time after it is made, and closes connections with unsent answers. */
const LEAVE_MS = 100;

/** Counts the messages in progress, so that the service answers them before it ends. */
class UnderWay {
  private count = 0;
  private onIdle: (() => void) | undefined;
  isEnding = false;

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.count++;
    try {
      return await work();
    } finally {
      if (--this.count === 0) this.onIdle?.();
    }
  }

  /** Waits until nothing is in progress, for a limited time. */
  async end(milliseconds: number): Promise<void> {
    this.isEnding = true;
    if (this.count === 0) return;
    const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
    await Promise.race([idle, sleep(milliseconds, undefined, { ref: false })]);
    await sleep(LEAVE_MS);
  }
}

export class ProblemMessage extends Error {
  readonly content: object;

  constructor(problem: Problem, pattern: string, requestId: string) {
    super(problem.code);
    this.content = contentOf(problem, pattern, requestId);
  }
}

type Message = Record<string, unknown>;

/** Messages with keys that were not seen recently, right or wrong, share places and memory. */
const STRANGERS = 'strangers';
const END_WITHIN_MS = 5000;
const MOST_SHOWN = 100;
const BYTES_OF_MESSAGE = 1024;
const BYTES_OF_VALUE = 32;

/** Answers messages. Callers, requests and answers are the same as over HTTP. */
@Injectable()
export class Answering implements BeforeApplicationShutdown {
  /** Limits the messages that use the database at once, and leaves room for other users' messages. */
  private readonly gate = new Gate({
    running: 32,
    runningOfOwner: 16,
    waiting: Infinity,
    waitingOfOwner: Infinity,
    patienceMs: 30_000,
  });
  private readonly memory = MemoryBudget.inQuarters('messages');
  private readonly underWay = new UnderWay();

  constructor(
    private readonly identification: Identification,
    private readonly keys: ApiKeysService,
    private readonly turns: TurnsOfUsers,
    private readonly services: ModuleRef,
  ) {}

  get isEnding(): boolean {
    return this.underWay.isEnding;
  }

  /** Throws a ProblemMessage if it cannot be answered. */
  async answer(origin: Origin, message: unknown): Promise<object> {
    try {
      if (this.isEnding) throw new Overloaded();
      return await this.underWay.run(() => this.inTurn(origin, message));
    } catch (error) {
      const problem = asProblem(error);
      const requestId = randomUUID();
      logProblem(problem, requestId);
      const { pattern = origin.pattern } = message instanceof Unanswerable ? message : {};
      throw new ProblemMessage(problem, shownPattern(pattern), requestId);
    }
  }

  /** Runs before connections close: over a broker, a caller would wait for an answer until its timeout. */
  beforeApplicationShutdown(): Promise<void> {
    return this.underWay.end(END_WITHIN_MS);
  }

  private async inTurn(origin: Origin, message: unknown): Promise<object> {
    const owner = this.senderOf(message);
    const memory = this.memory.reserve(owner, bytesIn(message));
    try {
      return await this.gate.run({ owner }, () => this.answerTo(origin, message));
    } finally {
      memory.release();
    }
  }

  private senderOf(message: unknown): number | string {
    const secret = (message as { key?: unknown } | null)?.key;
    return (typeof secret === 'string' ? this.keys.lastUserOf(secret) : undefined) ?? STRANGERS;
  }

  private async answerTo({ pattern, address }: Origin, message: unknown): Promise<object> {
    // SQLite answers without a turn of the event loop.
    await yieldIfNeeded();
    if (message instanceof Unanswerable) throw message.problem;
    const useCase = USE_CASES[pattern];
    if (!useCase) throw new UnknownMessage();
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      throw new Malformed('A message must be an object with the key and the fields.');
    const { key: secret, ...sent } = message as Message;
    const key = await this.keyOf(secret, address, useCase);
    const work = () => ask(this.services, useCase, key, sent);
    if (useCase.budget === 'statistics') return work();
    return inTime(useCase.budget === 'events' ? work() : this.turns.run(key, work));
  }

  private async keyOf(
    secret: unknown,
    address: string,
    { scope, budget, keepsToWebsites }: UseCase,
  ): Promise<ApiKey> {
    const sent = typeof secret === 'string' ? secret : '';
    const { key, rateLimit } = await this.identification.identify(sent, address, budget);
    if (rateLimit.refusal) throw rateLimit.refusal;
    if (!key) throw new Unauthorized('the field "key"');
    checkRights(key, scope, keepsToWebsites);
    return key;
  }
}

/** A sender may ask for anything, however long and however written. */
function shownPattern(pattern: string): string {
  const shown = pattern.slice(0, MOST_SHOWN).toWellFormed().replaceAll(/\p{C}/gu, '\ufffd');
  return pattern.length > MOST_SHOWN ? `${shown}…` : shown;
}

/** The approximate memory of a waiting message. */
function bytesIn(message: unknown): number {
  let bytes = BYTES_OF_MESSAGE;
  const values = [message];
  for (const value of values) {
    bytes += typeof value === 'string' ? BYTES_OF_VALUE + 2 * value.length : BYTES_OF_VALUE;
    if (typeof value === 'object' && value !== null)
      for (const inside of Object.values(value)) values.push(inside);
  }
  return bytes;
}
