import type { WebhookFormat } from '../../src/webhooks/events';
import { WebhooksService } from '../../src/webhooks/webhooks.service';
import type { FreshDatabase } from '../support/fresh-database';
import { Endpoint, type Posted, type Sender, SITE, startSender, webhooksDatabase } from '../support/webhooks';

const LINK = `https://stats.example/?website=${SITE.id}`;
const HOSTILE = '</a> <!channel> @everyone <@U1> *b* [a](https://evil.example)\r\nX-Injected: 1\u202e & more';
const TOTAL = { count: 12, previous: 10 };
const REPORT = {
  ...{ every: 'week', from: '2026-01-01', to: '2026-01-07', visitors: TOTAL, pageviews: TOTAL },
  pages: [{ label: HOSTILE, count: 3 }],
};
const ALERT = { name: 'Größe\r\nX-Injected: 1', metric: 'visitors', condition: 'above', threshold: 500 };

let fresh: FreshDatabase;
let sender: Sender;
let endpoint: Endpoint;
beforeAll(async () => {
  fresh = await webhooksDatabase();
  sender = await startSender({ DATABASE_URL: fresh.url, BASE_URL: 'https://stats.example' });
});
beforeEach(async () => void (endpoint = await Endpoint.start()));
afterEach(() => endpoint.close());
afterAll(async () => {
  await sender.stop();
  await fresh.drop();
});

/** What a chat gets of an alert and of a report with texts of visitors. */
async function posted(format: WebhookFormat): Promise<[alert: Posted, report: Posted]> {
  const { id } = await sender.webhook(`${endpoint.url}secret/T0/B0`, { format, events: ['alert', 'report'] });
  await sender.add(`alert ${format}`, { content: { alert: ALERT, value: 612, usual: null } });
  await sender.add(`report ${format}`, { event: 'report', content: { report: REPORT } });
  for (let attempt = 0; attempt < 2; attempt++) await sender.send(Date.now());
  expect(await sender.states(id)).toEqual(['delivered', 'delivered']);
  await sender.service(WebhooksService).delete(1, id);
  const [alert, report] = endpoint.posted;
  for (const one of endpoint.posted) expect(one.headers).not.toHaveProperty('x-injected');
  return [alert!, report!];
}

it('slack gets a text in which only & < > are escaped, so that nobody is mentioned', async () => {
  const [alert, report] = await posted('slack');
  expect(alert.headers['content-type']).toBe('application/json');
  expect(JSON.parse(alert.body).text).toBe(
    `*Alert "Größe X-Injected: 1" on one.example*\nvisitors: 612, above the threshold (threshold 500)\n<${LINK}|Open the statistics>`,
  );
  const { text, unfurl_links } = JSON.parse(report.body);
  expect(unfurl_links).toBe(false);
  expect(text).toContain('&lt;!channel&gt; @everyone &lt;@U1&gt;');
  expect(text.match(/<[^>]*>/g)).toEqual([`<${LINK}|Open the statistics>`]);
  expect(text.split('\n')).toHaveLength(6);
});

it('discord gets a content of at most 2,000 characters that mentions nobody and formats nothing', async () => {
  const [alert, report] = await posted('discord');
  expect(JSON.parse(alert.body).content).toContain(`<${LINK}>`);
  const { content, allowed_mentions, flags } = JSON.parse(report.body);
  expect([allowed_mentions, flags]).toEqual([{ parse: [] }, 4]);
  expect(content.length).toBeLessThanOrEqual(2000);
  expect(content).toContain('\\@everyone \\<\\@U1\\> \\*b\\* \\[a\\]\\(https\\://evil\\.example\\)');
});

it('teams gets an adaptive card whose texts are not read as Markdown, with a button', async () => {
  const [, report] = await posted('teams');
  const { type, attachments } = JSON.parse(report.body);
  const [{ contentType, content }] = attachments;
  expect([type, contentType]).toEqual(['message', 'application/vnd.microsoft.card.adaptive']);
  expect(content).toMatchObject({
    type: 'AdaptiveCard',
    version: '1.4',
    actions: [{ type: 'Action.OpenUrl', url: LINK }],
  });
  const runs = content.body.flatMap(
    ({ type: kind, inlines }: { type: string; inlines: { type: string }[] }) => [kind, inlines[0]!.type],
  );
  expect(new Set(runs)).toEqual(new Set(['RichTextBlock', 'TextRun']));
  expect(Buffer.byteLength(report.body)).toBeLessThan(28 * 1024);
});

it('ntfy gets a text below 4,096 bytes, and a title and a link in headers without line breaks', async () => {
  const [alert, report] = await posted('ntfy');
  const [, title] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(String(alert.headers.title))!;
  expect(Buffer.from(title!, 'base64').toString()).toBe('Alert "Größe X-Injected: 1" on one.example');
  expect(report.headers).toMatchObject({ title: 'Weekly report for one.example', click: LINK });
  expect(report.body.split('\n')).toHaveLength(4);
  expect(Buffer.byteLength(report.body)).toBeLessThan(4096);
});

it('the address of a chat is shown to full keys only, and stays out of errors and logs', async () => {
  const { id } = await sender.webhook(`${endpoint.url}secret/T0/B0`, { format: 'slack' });
  const webhooks = sender.service(WebhooksService);
  expect((await webhooks.show(1, id, 'full')).url).toContain('/secret/');
  const host = new URL(endpoint.url).origin;
  const page = await webhooks.page(1, { page: 1, per_page: 10 }, 'read');
  expect([page.rows[0]!.url, (await webhooks.show(1, id, 'read')).url]).toEqual([`${host}/…`, `${host}/…`]);
  // A chat may repeat its address in an answer.
  endpoint.answer = (response, { path }) => response.end(path);
  const { id: other } = await sender.webhook(`${endpoint.url}secret/T0/B1`, { format: 'milepost' });
  await sender.add('before it was a chat', { content: { alert: ALERT, value: 612, usual: null } });
  await sender.send(Date.now());
  await webhooks.update(1, other, { format: 'slack' });
  const [before] = await sender.deliveries(other);
  expect(JSON.stringify(await sender.delivery(other, Number(before!.id)))).not.toContain('secret');
  await webhooks.delete(1, other);
  endpoint.posted.length = 0;
  await sender.add('echoed', { content: { alert: ALERT, value: 612, usual: null } });
  await sender.send(Date.now());
  const [echoed] = await sender.deliveries(id);
  expect(endpoint.posted).toHaveLength(1);
  expect(JSON.stringify(await sender.delivery(id, Number(echoed!.id)))).not.toContain('secret');
  endpoint.close();
  await sender.add('nobody there', { content: { alert: ALERT, value: 612, usual: null } });
  await sender.send(Date.now());
  const [delivery] = await sender.deliveries(id);
  expect(delivery!.last_error).not.toBeNull();
  const shown = JSON.stringify([delivery, await sender.delivery(id, Number(delivery!.id)), sender.logs]);
  expect(shown).not.toContain('secret');
});
