import { randomUUID } from 'node:crypto';
import { FIREFOX } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import { untilCounted } from '../../support/counted';
import { engine, type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { DatabaseServer } from '../../support/database-server';
import { record, type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';

const EVENTS = 1000;
const servers: [string, string[] | undefined][] =
  engine === 'sqlite'
    ? [['SQLite', undefined]]
    : [
        ['a server with its own defaults', []],
        ['a server with packets of 1 MiB', ['--max-allowed-packet=1M']],
      ];

describe.each(servers)('%s', (_, options) => {
  let server: DatabaseServer | undefined;
  let database: FreshDatabase;
  let service: TestApp;
  let api: ApiClient;

  beforeAll(async () => {
    server = options && (await new DatabaseServer(undefined, options).start());
    database = await freshDatabase(server?.url);
    service = await startApp({ DATABASE_URL: database.url });
    api = service.api;
  });
  afterAll(async () => {
    await service.stop();
    await (server ? server.remove() : database.drop());
  });

  const send = (site: Site, events: object[]) => record(api, site, events);

  async function sumAndTotal({ id }: Site, name: string): Promise<[number, number]> {
    await untilCounted(api, id);
    const { body } = await api.get(`/api/v1/stats/${id}?name=${name}&from=2026-01-01&to=9999-12-31`);
    return [body.meta.sum, body.meta.total];
  }

  const many = <T>(make: (index: number) => T) => Array.from({ length: EVENTS }, (_, index) => make(index));
  const long = (text: string, character: string) => `${text}-${character.repeat(1000 - text.length)}`;

  it('counts many batches of long new paths', async () => {
    const site = await website(api);
    for (let batch = 0; batch < 6; batch++)
      await send(
        site,
        many((index) => ({ url: `https://${site.domain}/${long(`${batch}-${index}`, 'p')}` })),
      );
    expect(await sumAndTotal(site, 'page')).toEqual([6 * EVENTS, 6 * EVENTS]);
  });

  it('counts a batch of nearly 8 MiB', async () => {
    const site = await website(api);
    await send(
      site,
      many((index) => ({ url: `https://${site.domain}/${index}/${'p'.repeat(7900)}` })),
    );
    expect(await sumAndTotal(site, 'page')).toEqual([EVENTS, EVENTS]);
  });

  it('looks up the hosts of a batch that are many or long', async () => {
    const site = await website(api);
    await send(
      site,
      many((index) => ({ url: `https://${'é.'.repeat(110)}${index}.${site.domain}/` })),
    );
    expect(await sumAndTotal(site, 'page')).toEqual([EVENTS, 1]);

    const host = (index: number) => `${index}.${'h'.repeat(60)}.${'s'.repeat(60)}.${site.domain}`;
    await website(api, { domain: host(EVENTS - 1) });
    const events = many((index) => ({
      id: randomUUID(),
      ip: '203.0.113.7',
      user_agent: FIREFOX,
      url: `https://${host(index)}/`,
    }));
    const { status, body } = await api.post(`${WEBSITES}/${site.id}/events`, { json: { events } });
    expect(status).toBe(202);
    expect(body.data.filter((verdict: { status: string }) => verdict.status !== 'accepted')).toEqual([
      { id: events.at(-1)!.id, status: 'rejected', reason: 'url: belongs to another website' },
    ]);
  });

  it('counts long values in every text, with characters that take most room', async () => {
    const site = await website(api);
    const fields = ['source', 'medium', 'campaign', 'term', 'content'];
    const events = many((index) => {
      const query = fields.map((field) => `utm_${field}=${long(`${index}`, 'u')}`).join('&');
      return {
        url: `https://${site.domain}/${long(`${index}`, 'p')}?${query}`,
        referrer: `https://${'r'.repeat(60)}${index % 10}.example/`,
        event: { name: long(`${index}`, '\u0001') },
      };
    });
    for (let from = 0; from < EVENTS; from += 250) await send(site, events.slice(from, from + 250));
    expect(await sumAndTotal(site, 'event')).toEqual([EVENTS, EVENTS]);
    expect(await sumAndTotal(site, 'campaign')).toEqual([EVENTS, EVENTS]);
  });

  it('counts a website with the largest exclusions', async () => {
    const lines = (make: (index: number) => string) =>
      Array.from({ length: 1000 }, (_, index) => make(index)).join('\n');
    const site = await website(api, {
      exclude_params: lines((index) => `${'\u0027'.repeat(5)}parameter${index}`),
      exclude_ips: lines((index) => `2001:db8:0:${index.toString(16)}::/64`),
    });
    expect(site.id).toBeDefined();
    await send(site, [{ url: `https://${site.domain}/?a=1` }]);
    expect(await sumAndTotal(site, 'page')).toEqual([1, 1]);
  });
});
