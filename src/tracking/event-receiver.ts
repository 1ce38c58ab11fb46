import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { MemoryBudget } from '../../engine/ground/memory/memory-budget';
import { InvalidFields, type Problem } from '../../engine/ground/errors';
import { UnsupportedBody } from '../common/problems';
import { networkOf } from '../common/address';
import { MAX_AGENT_LENGTH } from '../derive/agent';
import { inTime } from '../http/connections/answer-in-time';
import { decodeText, parseJsonFields } from '../http/requests/body';
import { ClientAddress } from '../http/requests/client-address';
import { asProblem, respondWithProblem, SECURITY_HEADERS } from '../http/answers/problem-response';
import { type BodyLimits, discardBody, withBody } from '../http/requests/read-bytes';
import { putInFront } from '../http/requests/request-target';
import { closeIfUnread, measureEnd, requestIdOf } from '../http/requests/requests';
import { Limits } from '../limits/limits';
import type { DropReason } from '../../engine/hits/events/dropped-events';
import type { Client } from '../intake/events/arrivals';
import { REFUSED_EVENTS } from '../intake/event-counts';
import { EventsService } from '../intake/events.service';

const PATH = '/api/v1/events';
/** Every spelling that Express would route here; its middleware would consume the body. */
const TARGET = /^\/api\/v1\/events\/?(\?|$)/i;
/** A separate budget, so that senders of events and of batches do not compete. */
const LIMITS: BodyLimits = {
  bytes: 64 * 1024,
  milliseconds: 30_000,
  memory: MemoryBudget.inQuarters('events'),
};
/** An event has some thirty fields. */
const JSON_RULES = { maxMembers: 200, anyNumbers: true };
const READ_TYPES = /^(application\/json|text\/plain)\s*(;\s*charset="?utf-?8"?\s*)?$/i;

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Content-Type, X-Request-Id',
  'Access-Control-Max-Age': '86400',
};

/** Answers browsers that send events. It bypasses Express, which takes longer than all of this work. */
@Injectable()
export class EventReceiver {
  constructor(
    private readonly events: EventsService,
    private readonly addresses: ClientAddress,
    private readonly limits: Limits,
  ) {}

  /** Registers itself in front of all other listeners. */
  attachTo(server: Server): void {
    putInFront(server, (request, response) => {
      if (!isMine(request)) return false;
      const startedAt = performance.now();
      response.once('close', () => measureEnd({ route: PATH, method: request.method! }, response, startedAt));
      void this.receive(request, response);
      return true;
    });
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = headersFor(request);
    try {
      if (request.method === 'OPTIONS') {
        closeIfUnread(response);
        response.writeHead(204, { ...headers, ...PREFLIGHT_HEADERS }).end();
        return;
      }
      const address = this.addresses.of(request);
      const rateLimit = this.limits.take('events', { address });
      Object.assign(headers, rateLimit.headers);
      if (rateLimit.refusal) await refuse(request, rateLimit.refusal);
      refuseParameters(request.url ?? '');
      if (!hasReadType(request)) await refuse(request, new UnsupportedBody('application/json or text/plain'));
      const dropped = await withBody(request, LIMITS, networkOf(address), (body) =>
        this.accept(request, address, body),
      );
      headers['Content-Length'] = '0';
      if (dropped) headers['Milepost-Dropped'] = dropped;
      response.writeHead(202, headers).end();
    } catch (error) {
      REFUSED_EVENTS.add(1, 'browser', asProblem(error).code);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      respondWithProblem(response, error, PATH);
    }
  }

  private accept(request: IncomingMessage, address: string, body: Buffer): Promise<DropReason | undefined> {
    const fields = parseJsonFields(decodeText(body), JSON_RULES);
    return inTime(this.events.accept(fields, clientOf(request, address)));
  }
}

function clientOf(request: IncomingMessage, address: string): Client {
  return {
    address,
    userAgent: header(request, 'user-agent')?.slice(0, MAX_AGENT_LENGTH) ?? '',
    acceptLanguage: header(request, 'accept-language'),
    origin: header(request, 'origin'),
    asksNotToBeTracked: header(request, 'sec-gpc') === '1' || header(request, 'dnt') === '1',
  };
}

/** Set all at once at the end, headers cost a third as much as one by one. */
function headersFor(request: IncomingMessage): Record<string, string> {
  return {
    'X-Request-Id': requestIdOf(header(request, 'x-request-id')),
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers':
      'Milepost-Dropped, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After',
    ...SECURITY_HEADERS,
  };
}

function isMine({ url = '', method }: IncomingMessage): boolean {
  return TARGET.test(url) && (method === 'POST' || method === 'OPTIONS');
}

function refuseParameters(url: string): void {
  const [, query] = url.split('?');
  if (!query) return;
  const names = query
    .split('&')
    .slice(0, 20)
    .map((pair) => pair.split('=')[0]!.slice(0, 100));
  throw new InvalidFields(
    Object.fromEntries(names.map((name) => [name, ['is not a known field (no fields are accepted)']])),
  );
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function hasReadType({ headers }: IncomingMessage): boolean {
  return READ_TYPES.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined;
}

async function refuse(request: IncomingMessage, problem: Problem): Promise<never> {
  await discardBody(request, LIMITS.milliseconds);
  throw problem;
}
