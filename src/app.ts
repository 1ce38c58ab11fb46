import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { AppModule } from './app.module';
import { Admission } from './auth/admission';
import { keyOf } from './auth/bearer.guard';
import { networkOf } from './common/address';
import { logByNest } from './common/logger';
import { setGuideOf } from './common/problems';
import { Jobs } from '../engine/database/jobs';
import { HitStore } from '../engine/port';
import type { Settings } from './config/settings';
import { Database } from '../engine/database/database';
import { serveDocs } from './docs';
import { answerInTime } from './http/connections/answer-in-time';
import { parseForm } from './http/requests/body';
import { compressAnswers } from './http/answers/compression';
import { ClientAddress } from './http/requests/client-address';
import { answerUnreadableRequests, boundUnread, limitConnections } from './http/connections/connections';
import { letOriginsAsk, letOriginsRead } from './http/requests/cors';
import { answerInTurn } from './http/connections/pipelining';
import { readBodies } from './http/requests/read-body';
import { askForBodiesInTime } from './http/requests/read-bytes';
import { normaliseTargets } from './http/requests/request-target';
import { identifyAndLog, MCP_PATH } from './http/requests/requests';
import { Routes } from './http/requests/routes';
import { keepInNoCache } from './http/answers/revalidation';
import { serveMcp } from './mcp/serve-mcp';
import { METRICS_PATH } from './metrics/metrics.controller';
import { ConsoleGate } from './pages/console/console-gate';
import { Housekeeping } from './retention/housekeeping';
import { EventReceiver } from './tracking/event-receiver';

const ALL = '/';
const ANSWERS = ['/api', '/share', '/console', MCP_PATH];
const TIMED = [...ANSWERS, METRICS_PATH, '/health', '/unsubscribe', '/alerts', '/reports'];

/** The whole service, ready to listen. */
export async function createApp(settings: Settings, logger: LoggerService): Promise<NestExpressApplication> {
  logByNest();
  setGuideOf(settings);
  const more = settings.rpcUrls.length > 0 ? [messages().MessagesModule] : [];
  const app = await NestFactory.create<NestExpressApplication>(AppModule.for(settings, more), {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.set('query parser', (text: string | null) => parseForm(text ?? ''));
  app.set('etag', false);
  if (settings.trustProxy !== undefined) app.set('trust proxy', settings.trustProxy);
  const routes = app.get(Routes);
  const addresses = app.get(ClientAddress);
  const database = app.get(Database);
  const bodyCaller = (request: Request, isFromAnyone: boolean) =>
    isFromAnyone || keyOf(request) ? callerOf(request, addresses) : undefined;
  const pipeline: [name: string, appliesTo: string | string[], handler: RequestHandler][] = [
    ['id and log', ALL, identifyAndLog(routes.measured)],
    ['security headers', ALL, helmet(headersFor(settings))],
    ['no shared cache', ['/api', '/share', '/console'], keepInNoCache],
    ['compression', ANSWERS, compressAnswers],
    ['origins that read', ['/api'], letOriginsRead(settings.corsOrigins, routes)],
    ['origins of agents', [MCP_PATH], letOriginsAsk(settings.corsOrigins)],
    ['memory of unread answers', [...ANSWERS, METRICS_PATH], boundMemory(addresses)],
    ['key and budget', ALL, app.get(Admission).handler()],
    ['session of the console', ALL, app.get(ConsoleGate).handler()],
    ['body', ALL, readBodies((request) => routes.of(request).body, bodyCaller)],
    ['time', TIMED, answerInTime(() => database.isAnswering())],
  ];
  for (const [, appliesTo, handler] of pipeline) app.use(appliesTo, handler);
  serveDocs(app);
  serveMcp(app);
  limitConnections(app.getHttpServer(), (peer) => addresses.isProxy(peer));
  answerUnreadableRequests(app.getHttpServer());
  app.get(EventReceiver).attachTo(app.getHttpServer());
  normaliseTargets(app.getHttpServer());
  answerInTurn(app.getHttpServer());
  askForBodiesInTime(app.getHttpServer());
  return app;
}

/** Opens the transports besides HTTP. */
export async function listenBesides(app: NestExpressApplication, settings: Settings): Promise<void> {
  if (settings.rpcUrls.length > 0) await messages().listenForMessages(app, settings);
}

/** Loaded only if needed: its packages take memory and time. */
function messages(): typeof import('./messages/messages.module') {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- import() would need the names of built files
  return require('./messages/messages.module') as typeof import('./messages/messages.module');
}

/** Starts the background work; the command line does not need it. */
export function startBackground(app: NestExpressApplication, options = { mayUseThread: false }): void {
  app.get(HitStore).start(options);
  app.get(Housekeeping).start();
  app.get(Jobs).start();
}

/** The owner of the memory for a request: the key's user, or the address if there is no key. */
function callerOf(request: Request, addresses: ClientAddress): string {
  const userId = keyOf(request)?.userId;
  return userId === undefined ? networkOf(addresses.of(request)) : String(userId);
}

function boundMemory(addresses: ClientAddress): RequestHandler {
  return (request, response, next) => {
    boundUnread(response, () => callerOf(request, addresses));
    next();
  };
}

/**
 * Plain HTTP inside a network is legitimate, so browsers are told to use TLS only if the address is https. The explorer
 * keeps a key and needs styles of its own; nothing comes from other hosts.
 */
function headersFor({ baseUrl }: Settings): Parameters<typeof helmet>[0] {
  const secure = baseUrl?.startsWith('https:') ?? false;
  return {
    strictTransportSecurity: secure,
    contentSecurityPolicy: {
      directives: {
        fontSrc: ["'self'", 'data:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
        upgradeInsecureRequests: secure ? [] : null,
      },
    },
  };
}
