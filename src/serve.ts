import { Server } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, listenBesides, startBackground } from './app';
import { StructuredLogger } from './common/logger';
import { placeOf } from '../engine/database/connections/waiting-for-server';
import { HitStore } from '../engine/port';
import { SettingError } from '../engine/ground/setting-error';
import type { Settings } from './config/settings';
import { describePlaces, sourceOfPlaces } from './derive/geography/geography';
import { exitCodeOf } from './exit-code';
import { endConnectionsAfterAnswers } from './http/connections/connections';
import { firstKeyText } from './users/first-key';
import { UsersService } from './users/users.service';

const PATIENCE_AT_THE_END_MS = 5000;
/** The limit for the whole shutdown. Kubernetes kills after 30 seconds. */
const END_WITHIN_MS = 20_000;
const CLOSE_IDLE_EVERY_MS = 100;

/** Runs the service until a signal ends it. */
export async function serve(settings: Settings): Promise<void> {
  const app = await createApp(settings, new StructuredLogger(settings.logLevel, 'stdout'));
  await app.get(HitStore).check();
  // Whoever waits for the port may use the key at once.
  if (settings.bootstrapApiKey !== undefined) await app.get(UsersService).bootstrap(settings.bootstrapApiKey);
  await listen(app, settings);
  await listenBesides(app, settings);
  startBackground(app, { mayUseThread: true });
  app.get(HitStore).prepare();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(app));
  const address = settings.baseUrl ?? (await app.getUrl());
  const keyText = await firstKeyText(app.get(UsersService), settings, address, process.stdout.isTTY);
  process.stdout.write(`Milepost is ready at ${address}, its API explorer at ${address}/docs\n`);
  process.stdout.write(
    `Its data are in ${placeOf(settings.database)}, its secret in ${settings.secretFile}\n`,
  );
  if (!sourceOfPlaces(settings.geoDb)) process.stdout.write(`GEO_DB: ${describePlaces(settings.geoDb)}\n`);
  process.stdout.write(keyText);
}

async function listen(app: NestExpressApplication, { port, host }: Settings): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES')
      throw new SettingError(
        'PORT',
        code === 'EADDRINUSE' ? `${port} is already in use` : `${port} cannot be used (${code})`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingError('HOST', `cannot resolve or bind ${host} (${code})`);
    throw error;
  }
}

async function stop(app: NestExpressApplication): Promise<void> {
  process.exit(await exitCodeOf(end(app), END_WITHIN_MS));
}

/** Accepts no new connection, and lets pending answers finish before anything they need is closed. */
async function end(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer();
  endConnectionsAfterAnswers(server);
  setTimeout(() => server.closeAllConnections(), PATIENCE_AT_THE_END_MS).unref();
  // Connections that were open before the signal stay open after their answer. HTTP's close() would end idle ones at
  // once, including those whose request has arrived but is not read yet.
  setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
  await app.close();
}
