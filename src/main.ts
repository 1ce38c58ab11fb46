import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, startBackground } from './app';
import { StructuredLogger } from './common/logger';
import { SettingError, Settings } from './config/settings';
import { UsersService } from './users/users.service';

const PATIENCE_AT_THE_END_MS = 5000;

async function start(): Promise<void> {
  const settings = new Settings(process.env);
  const app = await createApp(settings, new StructuredLogger(settings.logLevel, 'stdout'));
  await listen(app, settings);
  startBackground(app);
  const madeUpKey = await app.get(UsersService).bootstrap(settings.bootstrapApiKey);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(app));
  const address = settings.baseUrl ?? (await app.getUrl());
  const ready = `Milepost is ready at ${address}, its API explorer at ${address}/docs\n`;
  process.stdout.write(madeUpKey ? ready + welcome(address, madeUpKey) : ready);
}

async function listen(app: NestExpressApplication, { port, host }: Settings): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES')
      throw new SettingError('PORT', `${port} cannot be used (${code})`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingError('HOST', `${host} is not here (${code})`);
    throw error;
  }
}

/** Takes no new connection, and lets the answers that are under way leave. */
async function stop(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer();
  setTimeout(() => server.closeAllConnections(), PATIENCE_AT_THE_END_MS).unref();
  await app.close();
  process.exit(0);
}

function welcome(address: string, key: string): string {
  return `
Your API key, shown this once:

  ${key}

Register a website, and read its statistics:

  curl -H 'Authorization: Bearer ${key}' ${address}/api/v1/websites -d domain=example.com
  curl -H 'Authorization: Bearer ${key}' '${address}/api/v1/stats/1?name=page&from=2026-01-01&to=2026-12-31'

`;
}

start().catch((error: Error) => {
  const message = error instanceof SettingError ? error.message : (error.stack ?? error.message);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
