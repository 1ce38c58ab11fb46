import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, listenBesides, startBackground } from '../../src/app';
import { patience } from '../../engine/ground/time/patience';
import { Settings } from '../../src/config/settings';
import { CountingService } from '../../engine/columns/counting.service';
import { EntityDatabase } from '../../src/database/entity-database';
import { Limits } from '../../src/limits/limits';
import { UNCOUNTED } from '../../src/limits/rate-limit';
import { UsersService } from '../../src/users/users.service';
import { ApiClient } from './api-client';
import { freshDatabase } from './fresh-database';
import { recorder } from './log-recorder';
import { PATIENT } from './programs';
import { SECRET_FILE } from './secret-file';
import { HitStore } from '../../engine/port';
import { type ColumnStore } from '../../engine/columns/column-store';

export const FIRST_KEY = 'the-first-key-of-the-tests';

export interface TestApp {
  app: NestExpressApplication;
  address: string;
  /** The first user, with a full key. */
  api: ApiClient;
  database: EntityDatabase;
  counting: CountingService;
  /** All log lines, as text. */
  logs: string[];
  /** Creates another user and returns a client with that user's key. */
  anotherUser(): Promise<ApiClient>;
  stop(): Promise<void>;
}

/** The whole service on a port of its own, and on a fresh database unless one is given. */
export async function startApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const fresh = environment.DATABASE_URL ? undefined : await freshDatabase();
  const logs: string[] = [];
  Object.assign(patience, PATIENT);
  const settings = new Settings({
    ...(fresh && { DATABASE_URL: fresh.url }),
    BOOTSTRAP_API_KEY: FIRST_KEY,
    SECRET_FILE,
    RATE_LIMIT: 'off',
    ...environment,
  });
  const app = await createApp(settings, recorder(logs));
  if (!environment.RATE_LIMIT) liftGuards(app.get(Limits));
  const users = app.get(UsersService);
  await users.bootstrap(settings.bootstrapApiKey!);
  await app.listen(0, '127.0.0.1');
  await listenBesides(app, settings);
  startBackground(app);
  const address = await app.getUrl();
  const api = new ApiClient(address, FIRST_KEY);
  let others = 0;
  return {
    app,
    address,
    api,
    logs,
    database: app.get(EntityDatabase),
    counting: app.get<HitStore, ColumnStore>(HitStore).counting,
    anotherUser: async () => api.as(await users.create(`user${++others}@example.com`)),
    stop: async () => {
      await app.close();
      await fresh?.drop();
    },
  };
}

/** Tests guess more keys and store more webhooks than a caller may. Tests of limits set `RATE_LIMIT`. */
function liftGuards(limits: Limits): void {
  const found = async <K>(look: () => Promise<K | null>) => ({ key: await look(), rateLimit: UNCOUNTED });
  const lifted: Partial<Limits> = {
    tryKey: (_, look) => found(look),
    tryPassword: (_, __, look) => found(look),
    take: () => UNCOUNTED,
  };
  Object.assign(limits, lifted);
}
