import { createApp } from './app';
import { StructuredLogger } from './common/logger';
import { SettingError, Settings } from './config/settings';
import { UsersService } from './users/users.service';

async function start(): Promise<void> {
  const settings = new Settings(process.env);
  const app = await createApp(settings, new StructuredLogger(settings.logLevel, 'stdout'));
  const madeUpKey = await app.get(UsersService).bootstrap(settings.bootstrapApiKey);
  await app.listen(settings.port, settings.host);
  const address = settings.baseUrl ?? (await app.getUrl());
  process.stdout.write(`Milepost is ready at ${address}, its API explorer at ${address}/docs\n`);
  if (madeUpKey) process.stdout.write(welcome(address, madeUpKey));
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
