import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { decodeText, parseJsonFields } from '../common/body';
import { InvalidFields, Malformed, TooLarge, UnsupportedBody } from '../common/problem';
import { respondWithProblem } from '../common/problem-response';
import { requestIdOf } from '../common/requests';
import { inTime } from '../database/answer-in-time';
import { ClientAddress } from './client-address';
import { type Client, EventsService } from './events.service';

const PATH = '/api/v1/events';
/** All that Express would take for the path; it reads bodies first, and what was read does not come again. */
const ADDRESS = /^(https?:\/\/[^/?#]*)?\/api\/v1\/events\/?([?#]|$)/i;
const MOST_BYTES = 64 * 1024;
const READ_TYPES = /^(application\/json|text\/plain)\s*(;\s*charset="?utf-?8"?\s*)?$/i;

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Content-Type, X-Request-Id',
  'Access-Control-Max-Age': '86400',
};

/** Answers browsers that send events. Express takes longer for a request than all that is done here. */
@Injectable()
export class Receiver {
  constructor(
    private readonly events: EventsService,
    private readonly addresses: ClientAddress,
  ) {}

  /** Puts itself before whatever else the server does. */
  standBefore(server: Server): void {
    const others = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (isMine(request)) void this.receive(request, response);
      else for (const listener of others) listener(request, response);
    });
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = headersFor(request);
    try {
      if (request.method === 'OPTIONS') {
        response.writeHead(204, { ...headers, ...PREFLIGHT_HEADERS }).end();
        return;
      }
      refuseParameters(request.url ?? '');
      const body = parseJsonFields(decodeText(await readBody(request)));
      const dropped = await inTime(this.events.accept(body, this.clientOf(request)));
      headers['Content-Length'] = '0';
      if (dropped) headers['Milepost-Dropped'] = dropped;
      response.writeHead(202, headers).end();
    } catch (error) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      respondWithProblem(response, error, PATH);
    }
  }

  private clientOf(request: IncomingMessage): Client {
    return {
      address: this.addresses.of(request),
      userAgent: header(request, 'user-agent') ?? '',
      acceptLanguage: header(request, 'accept-language'),
      origin: header(request, 'origin'),
      asksNotToBeTracked: header(request, 'sec-gpc') === '1' || header(request, 'dnt') === '1',
    };
  }
}

/** Given all at once in the end, they cost a third of what they cost one by one. */
function headersFor(request: IncomingMessage): Record<string, string> {
  return {
    'X-Request-Id': requestIdOf(header(request, 'x-request-id')),
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Milepost-Dropped, X-Request-Id',
  };
}

function isMine({ url = '', method }: IncomingMessage): boolean {
  return ADDRESS.test(url) && (method === 'POST' || method === 'OPTIONS');
}

function refuseParameters(url: string): void {
  const [, query] = url.split('?');
  if (!query) return;
  const names = query
    .split('&')
    .slice(0, 20)
    .map((pair) => pair.split('=')[0]!.slice(0, 100));
  throw new InvalidFields(
    Object.fromEntries(names.map((name) => [name, ['is not known here; nothing may be sent']])),
  );
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** A body that is too large is read to its end and thrown away, so that the answer can be heard. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  const type = request.headers['content-type'] ?? '';
  const known = READ_TYPES.test(type) && request.headers['content-encoding'] === undefined;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (known && bytes <= MOST_BYTES) chunks.push(chunk);
    });
    request.on('error', () => reject(new Malformed('The body did not come to its end.')));
    request.on('end', () => {
      if (!known) reject(new UnsupportedBody('application/json or text/plain'));
      else if (bytes > MOST_BYTES) reject(new TooLarge());
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
  });
}
