import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { AppModule } from './app.module';
import { parseForm, readBody } from './common/body';
import { identifyAndLog, pathOf, requestIdOf } from './common/requests';
import type { Settings } from './config/settings';
import { CountingService } from './counting/counting.service';
import { Housekeeping } from './counting/housekeeping';
import { answerInTime } from './database/answer-in-time';
import { Database } from './database/database';
import { serveDocs } from './docs';
import { Receiver } from './tracking/receiver';

const BODY_LIMIT = '256kb';
const BATCH_LIMIT = '8mb';
const STATISTICS = /^\/api\/v1\/stats\//;
const EVENT_BATCHES = /^\/api\/v1\/websites\/[^/]+\/events$/;

/** The whole service, ready to listen. */
export async function createApp(settings: Settings, logger: LoggerService): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.for(settings), {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.set('query parser', (text: string | null) => parseForm(text ?? ''));
  app.set('etag', false);
  if (settings.trustProxy !== undefined) app.set('trust proxy', settings.trustProxy);
  app.use(identifyAndLog);
  app.use(helmet(headersFor(settings)));
  app.use(EVENT_BATCHES, readBody(BATCH_LIMIT));
  app.use('/api', readBody(BODY_LIMIT));
  const database = app.get(Database);
  app.use(['/api', '/health'], (request: Request, response: Response, next: NextFunction) => {
    const path = pathOf(request);
    answerInTime(response, path, STATISTICS.test(path) ? () => database.isAnswering() : undefined);
    next();
  });
  serveDocs(app);
  app.getHttpAdapter().get('/', (_: unknown, response: unknown) => (response as Response).redirect('/docs'));
  answerUnreadableRequests(app.getHttpServer());
  app.get(Receiver).standBefore(app.getHttpServer());
  return app;
}

/** What goes on beside the requests; the command line does without. */
export function startBackground(app: NestExpressApplication): void {
  app.get(CountingService).start();
  app.get(Housekeeping).start();
}

/** The same services without HTTP, for the command line. */
export function createContext(
  settings: Settings,
  logger: LoggerService,
  parts: 'all' | 'without tracking',
): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(AppModule.for(settings, parts), {
    logger,
    abortOnError: false,
  });
}

/** Plain HTTP inside a network is a fair way to run this, so only an https address asks browsers for TLS. */
function headersFor({ baseUrl }: Settings): Parameters<typeof helmet>[0] {
  const secure = baseUrl?.startsWith('https:') ?? false;
  return {
    strictTransportSecurity: secure,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: secure ? [] : null } },
  };
}

const UNREADABLE: Record<string, [status: number, title: string, code: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'too_large',
    'The address or the headers are too long.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'Request Timeout',
    'timeout',
    'The request did not come to its end in time.',
  ],
};

/** What Node cannot even parse never reaches a route, nor the filter that words problems. */
function answerUnreadableRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const [status, title, code, detail] = UNREADABLE[error.code ?? ''] ?? [
      400,
      'Bad Request',
      'malformed',
      'The request cannot be read.',
    ];
    const id = requestIdOf(undefined);
    const body = JSON.stringify({
      type: 'about:blank',
      title,
      status,
      detail,
      instance: '',
      code,
      request_id: id,
    });
    const head = [
      `HTTP/1.1 ${status} ${title}`,
      `X-Request-Id: ${id}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}
