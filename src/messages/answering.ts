import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Admission } from '../auth/admission';
import type { ApiKey } from '../auth/api-key.entity';
import { checkRights } from '../auth/rights';
import { Malformed, type Problem, Unauthorized } from '../common/problem';
import { inTime } from '../http/answer-in-time';
import { Page, WithMeta } from '../http/pagination';
import { asProblem, logProblem } from '../http/problem-response';
import { BodyMemory } from '../http/read-bytes';
import { EventsService } from '../intake/events.service';
import { StatsService } from '../stats/stats.service';
import { FieldsPipe } from '../validation/fields.pipe';
import { websiteIdFor } from '../websites/website-id';
import { WebsitesService } from '../websites/websites.service';
import { Turns } from './turns';
import { type Services, USE_CASES, type UseCase } from './use-cases';

/** A problem as callers by message get it: that of HTTP, with `retry_after` in place of the header. */
export class ProblemMessage extends Error {
  readonly content: object;

  constructor(problem: Problem, pattern: string, requestId: string) {
    super(problem.code);
    const { retryAfterSeconds } = problem;
    this.content = {
      ...problem.toJSON(pattern, requestId),
      ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
    };
  }
}

type Message = Record<string, unknown>;

/** Messages do not tell where they come from, so their wrong keys are counted together. */
const ADDRESS = 'messages';
const BYTES_OF_MESSAGE = 1024;
const BYTES_OF_VALUE = 32;

/** Answers messages: who asks, what is asked, and what is answered are the same as over HTTP. */
@Injectable()
export class Answering {
  private readonly services: Services;
  private readonly fields = new FieldsPipe();
  private readonly turns = new Turns();
  private readonly memory = new BodyMemory(64 * 1024 * 1024);

  constructor(
    private readonly admission: Admission,
    websites: WebsitesService,
    stats: StatsService,
    events: EventsService,
  ) {
    this.services = { websites, stats, events };
  }

  /** Throws a ProblemMessage where it cannot be answered. */
  async answer(pattern: string, message: unknown): Promise<object> {
    const bytes = bytesIn(message);
    const caller = String((message as { key?: unknown } | null)?.key);
    try {
      this.memory.take(bytes, caller);
      try {
        return await this.turns.run(() => this.answerTo(pattern, USE_CASES[pattern]!, message));
      } finally {
        this.memory.giveBack(bytes, caller);
      }
    } catch (error) {
      const problem = asProblem(error);
      const requestId = randomUUID();
      logProblem(problem, requestId);
      throw new ProblemMessage(problem, pattern, requestId);
    }
  }

  private async answerTo(pattern: string, useCase: UseCase, message: unknown): Promise<object> {
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      throw new Malformed('A message must be an object with the key and the fields.');
    const { key: secret, ...sent } = message as Message;
    const key = await this.keyOf(secret, useCase);
    const { id: name } = useCase;
    const websiteId = name ? websiteIdFor(key, sent[name]) : 0;
    if (name) delete sent[name];
    const fields = await this.checked(useCase, sent);
    const asked = { key, caller: { owner: key.userId }, websiteId, fields };
    const work = useCase.answer(this.services, asked);
    return envelopeOf(
      await (useCase.budget === 'statistics' ? work : inTime(work)),
      pathOf(pattern, websiteId),
    );
  }

  private async keyOf(secret: unknown, { scope, budget, keepsToWebsites }: UseCase): Promise<ApiKey> {
    const { key, standing } = await this.admission.identify(
      typeof secret === 'string' ? secret : '',
      ADDRESS,
      budget,
    );
    if (standing.refusal) throw standing.refusal;
    if (!key) throw new Unauthorized();
    checkRights(key, scope, keepsToWebsites);
    return key;
  }

  private async checked({ fields }: UseCase, sent: Message): Promise<object> {
    if (fields === 'events') return sent;
    return (await this.fields.transform(sent, { type: 'body', metatype: fields })) as object;
  }
}

function envelopeOf(result: unknown, path: string): object {
  if (result instanceof WithMeta) return result.toEnvelope();
  if (!(result instanceof Page)) return { data: result };
  const { data, meta } = result.toEnvelope(path, {});
  return { data, meta };
}

/** The path of the same over HTTP, which is part of the meta of a page. */
function pathOf(pattern: string, websiteId: number): string {
  return pattern === 'stats.show' ? `/api/v1/stats/${websiteId}` : '/api/v1/websites';
}

/** About what a message takes in memory while it waits. */
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
