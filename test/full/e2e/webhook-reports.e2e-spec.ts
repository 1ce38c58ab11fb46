import { expectDocumentedDelivery } from '../../support/documented';
import { DeliveriesService } from '../../../src/webhooks/deliveries/deliveries.service';
import { WebhooksService } from '../../../src/webhooks/webhooks.service';
import type { FreshDatabase } from '../../support/fresh-database';
import { MailServer } from '../../support/mail-server';
import {
  fillReport,
  openServices,
  type Reporter,
  reportsDatabase,
  reportsEnvironment,
  startReporter,
} from '../../support/reports';

const MONDAY = '2026-03-09T07:00:00Z';

let server: MailServer;
let fresh: FreshDatabase;
let reporter: Reporter;
let services: Awaited<ReturnType<typeof openServices>>;
let webhookId: number;
beforeEach(async () => {
  server = await new MailServer().start();
  fresh = await reportsDatabase();
  reporter = await startReporter(reportsEnvironment(server, fresh.url));
  services = await openServices(reportsEnvironment(server, fresh.url));
  const webhooks = services.get(WebhooksService, { strict: false });
  ({ id: webhookId } = await webhooks.store(1, { url: 'https://hooks.example/', events: ['report'] }));
});
afterEach(async () => {
  await services.close();
  await reporter.stop();
  await server.stop();
  await fresh.drop();
});

async function bodies(): Promise<any[]> {
  const deliveries = services.get(DeliveriesService, { strict: false });
  const { rows } = await deliveries.page(1, webhookId, { page: 1, per_page: 100 });
  return Promise.all(
    rows.map(async ({ id }) => JSON.parse((await deliveries.show(1, webhookId, Number(id))).body) as unknown),
  );
}

it('a report that was mailed is posted once, with its numbers', async () => {
  const id = await reporter.website('one.example');
  await fillReport(reporter, id, '2026-03-02', { page: `/${'x'.repeat(900)}` });
  await reporter.run(MONDAY);
  await reporter.run('2026-03-09T08:00:00Z');
  const posted = await bodies();
  for (const body of posted) expectDocumentedDelivery(body as { event: string });
  expect(posted).toEqual([
    {
      ...{ id: expect.any(String), event: 'report', created_at: expect.any(String) },
      website: { id, domain: 'one.example' },
      report: {
        ...{ every: 'week', from: '2026-03-02', to: '2026-03-08' },
        visitors: { count: 42, previous: 0 },
        pageviews: { count: 100, previous: 0 },
        pages: [
          { label: `/${'x'.repeat(254)}`, count: 80 },
          { label: '/pricing', count: 20 },
        ],
        referrers: [
          { label: 'news.example', count: 30 },
          { label: '(direct)', count: 12 },
        ],
        countries: [
          { label: 'Germany', count: 30 },
          { label: 'United States', count: 12 },
        ],
        events: [{ label: 'Sign up', count: 7 }],
      },
    },
  ]);
});

it('one that was not mailed is not posted', async () => {
  await reporter.website('one.example');
  await server.stop();
  await reporter.run(MONDAY);
  expect([await reporter.states(), await bodies()]).toEqual([['waiting'], []]);
  await server.start();
  await reporter.run('2026-03-09T07:30:00Z');
  expect([await reporter.states(), (await bodies()).length]).toEqual([['sent'], 1]);
});
