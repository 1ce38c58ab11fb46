import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { EntityDatabase } from '../../src/database/entity-database';
import { GoalsService } from '../../src/goals/goals/goals.service';
import { UsersService } from '../../src/users/users.service';
import { Jobs } from '../../engine/database/jobs';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import type { DeliveryView, WholeDeliveryView } from '../../src/webhooks/deliveries/delivery.dto';
import { WebhookDeliveries } from '../../src/webhooks/deliveries/new-deliveries';
import type { WebhookEvent } from '../../src/webhooks/events';
import type { StoreWebhook, WebhookSecretView } from '../../src/webhooks/webhook.dto';
import { WebhooksService } from '../../src/webhooks/webhooks.service';
import { StoreWebsite } from '../../src/websites/dto/store-website.dto';
import { WebsitesService } from '../../src/websites/websites.service';
import { type FreshDatabase, freshDatabase } from './fresh-database';
import { runJobs } from './jobs';
import { recorder } from './log-recorder';
import { openServices, OWNER } from './reports';
import { SECRET_FILE } from './secret-file';
import { serve, type WebServer } from './web-server';

export interface Posted {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server that gets webhooks. */
export class Endpoint {
  readonly posted: Posted[] = [];
  answer: (response: ServerResponse, posted: Posted) => unknown = (response) => response.end('ok');

  private constructor(private readonly server: WebServer) {}

  static async start(): Promise<Endpoint> {
    const server = await serve((request, response) => {
      void text(request).then((body) => {
        const posted = { path: request.url!, headers: request.headers, body };
        endpoint.posted.push(posted);
        endpoint.answer(response, posted);
      });
    });
    const endpoint = new Endpoint(server);
    return endpoint;
  }

  get url(): string {
    return `${this.server.address}/`;
  }

  bodies(): any[] {
    return this.posted.map(({ body }) => JSON.parse(body) as unknown);
  }

  close(): void {
    this.server.close();
  }
}

/** Tells whether a post is signed with a secret. */
export function isSigned({ headers, body }: Posted, secret: string): boolean {
  const [, seconds, signed] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['milepost-signature']))!;
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex') === signed;
}

export const SITE = { id: 1, domain: 'one.example' };

/** A process that sends and reads when the test calls it, by the test's clock. */
export interface Sender {
  database: EntityDatabase;
  logs: string[];
  /** Sends what is due as of this moment. */
  send(now: number): Promise<void>;
  /** Looks for conversions as of this moment. */
  read(now: number): Promise<void>;
  webhook(url: string, fields?: Partial<StoreWebhook>, userId?: number): Promise<WebhookSecretView>;
  /** Adds a delivery for each webhook of a user. */
  add(
    occasion: string,
    options?: { event?: WebhookEvent; content?: object; userId?: number },
  ): Promise<number>;
  deliveries(webhookId: number, userId?: number): Promise<DeliveryView[]>;
  delivery(webhookId: number, id: number): Promise<WholeDeliveryView>;
  states(webhookId: number, userId?: number): Promise<string[]>;
  goal(websiteId: number, name: string, filters: unknown[], more?: object): Promise<number>;
  service<T>(type: abstract new (...parameters: never[]) => T): T;
  stop(): Promise<void>;
}

export const ALLOWED = { WEBHOOK_ALLOW: '127.0.0.1', SECRET_FILE };

export async function startSender(environment: Record<string, string>): Promise<Sender> {
  const logs: string[] = [];
  const services = await openServices({ ...ALLOWED, ...environment }, recorder(logs));
  const service = <T>(type: abstract new (...parameters: never[]) => T): T =>
    services.get<T>(type, { strict: false });
  const database = services.get(EntityDatabase, { strict: false });
  const list = async (webhookId: number, userId = 1) =>
    (await service(DeliveriesService).page(userId, webhookId, { page: 1, per_page: 100 })).rows;
  return {
    ...{ database, logs, service },
    send: (now) => runJobs(service(Jobs), 'deliveries', now),
    read: (now) => service(Jobs).run('conversions', now),
    webhook: (url, fields = {}, userId = 1) =>
      service(WebhooksService).store(userId, { url, events: ['alert'], ...fields }),
    add: (occasion, { event = 'alert', content = {}, userId = 1 } = {}) =>
      database.write((manager) =>
        service(WebhookDeliveries).addFor(manager, userId, event, occasion, SITE, content, Date.now()),
      ),
    deliveries: list,
    delivery: (webhookId, id) => service(DeliveriesService).show(1, webhookId, id),
    states: async (...of) => (await list(...of)).map(({ state }) => state),
    goal: async (websiteId, name, filters, more = {}) =>
      (await service(GoalsService).store(1, websiteId, { name, filters, ...more } as never)).id,
    stop: () => services.close(),
  };
}

/** A database with one user, whose id is 1, the website of the deliveries, and more users if asked for. */
export async function webhooksDatabase(users = 1): Promise<FreshDatabase> {
  const fresh = await freshDatabase();
  const services = await openServices({ DATABASE_URL: fresh.url, SECRET_FILE });
  const service = services.get(UsersService, { strict: false });
  await service.create(OWNER);
  const fields = Object.assign(new StoreWebsite(), { domain: SITE.domain });
  await services.get(WebsitesService, { strict: false }).store(1, fields, { owner: 1 });
  for (let more = 1; more < users; more++) await service.create(`user${more}@example.com`);
  await services.close();
  return fresh;
}

/** As if no process had a lease. */
export async function endLeases({ database }: Pick<Sender, 'database'>): Promise<void> {
  await database.execute('UPDATE leases SET expires_at = 0', []);
}
