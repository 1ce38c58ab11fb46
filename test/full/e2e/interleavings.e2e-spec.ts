import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { eventKey } from '../../../engine/hits/events/event-key';
import { FIREFOX } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import { untilCounted } from '../../support/counted';
import { CountingProcess } from '../../support/counting';
import { DatabaseProxy } from '../../support/database-proxy';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { untilLocksAreAwaited } from '../../support/lock-waits';
import { DatabaseServer } from '../../support/database-server';
import { PATIENT, type Service, startService } from '../../support/programs';
import { size } from '../../support/sizes';
import { ASK_STATISTICS, CLAIM_IDS, claimId, STORE_EVENTS } from '../../support/store-hooks';

const KEY = 'a-key-that-the-operator-chose';
const WEBSITES = '/api/v1/websites';
const EVENTS = '/api/v1/events';
/** How often both processes receive the same request at once. */
const RACES = size('RACES', 3, 100);

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

let domains = 0;
async function registered(api: ApiClient): Promise<{ id: number; domain: string }> {
  const form = { domain: `interleaved${++domains}.example` };
  return (await api.post(WEBSITES, { form })).body.data;
}

function send(api: ApiClient, domain: string, path: string, id?: string) {
  const json = { url: `https://${domain}${path}`, ...(id && { id }) };
  return api.post(EVENTS, { json, headers: { 'User-Agent': FIREFOX } });
}

function batchOf(domain: string, path: string, ids: string[]) {
  const url = `https://${domain}${path}`;
  return { json: { events: ids.map((id) => ({ id, url, ip: '203.0.113.7', user_agent: FIREFOX })) } };
}

const statsOf = (websiteId: number) =>
  `/api/v1/stats/${websiteId}?name=page&from=2026-01-01&to=9999-12-31&per_page=100`;

async function pagesOf(api: ApiClient, websiteId: number): Promise<Record<string, number>> {
  await untilCounted(api, websiteId);
  const { body } = await api.get(statsOf(websiteId));
  return Object.fromEntries(
    body.data.map(({ value, count }: { value: string; count: number }) => [value, count]),
  );
}

describe('between two processes', () => {
  let services: Service[];
  let one: ApiClient;
  let other: ApiClient;
  let proxy: DatabaseProxy | undefined;

  beforeAll(async () => {
    proxy = engine === 'server' ? await DatabaseProxy.start(database.url) : undefined;
    const startOn = (url: string) => startService({ DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY });
    services = await Promise.all([startOn(proxy?.url ?? database.url), startOn(database.url)]);
    [one, other] = services.map(({ address }) => new ApiClient(address, KEY)) as [ApiClient, ApiClient];
  });
  afterAll(async () => {
    await Promise.all(services.map(({ program }) => program.stop('SIGKILL')));
    await proxy?.stop();
  });

  describe('a website that another process changes', () => {
    it('is judged by what holds now', async () => {
      const { id, domain } = await registered(one);
      expect((await send(one, domain, '/before')).headers.has('Milepost-Dropped')).toBe(false);
      await other.patch(`${WEBSITES}/${id}`, { form: { exclude_ips: '127.0.0.1' } });
      expect((await send(one, domain, '/after')).headers.get('Milepost-Dropped')).toBe('ip');
      expect(await pagesOf(one, id)).toEqual({ '/before': 1 });
    });

    it('is unknown from its deletion to its next registration', async () => {
      const { id, domain } = await registered(one);
      expect((await send(one, domain, '/')).status).toBe(202);
      await other.delete(`${WEBSITES}/${id}`);
      expect((await send(one, domain, '/')).status).toBe(404);
      const again = (await other.post(WEBSITES, { form: { domain } })).body.data;
      expect((await send(one, domain, '/again')).status).toBe(202);
      expect(await pagesOf(one, again.id)).toEqual({ '/again': 1 });
    });

    if (engine === 'server')
      it('is judged again where it changes between the judgement and the commit', async () => {
        const { id, domain } = await registered(one);
        await send(one, domain, '/before');
        const held = proxy!.holdUp((statement) => statement.startsWith(STORE_EVENTS));
        const answer = send(one, domain, '/meanwhile?secret=1');
        const pass = await held;
        await other.patch(`${WEBSITES}/${id}`, { form: { exclude_params: 'secret' } });
        pass();
        expect((await answer).status).toBe(202);
        expect(await pagesOf(one, id)).toEqual({ '/before': 1, '/meanwhile': 1 });
      });
  });

  it('one key for new goals of two websites is taken once', async () => {
    for (let race = 0; race < RACES; race++) {
      const sites = [await registered(one), await registered(one)];
      const headers = { 'Idempotency-Key': randomUUID() };
      const answers = await Promise.all(
        [one, other].map((api, index) =>
          api.post(`${WEBSITES}/${sites[index]!.id}/goals`, {
            json: { name: 'Signup', filters: [['is', 'page', ['/']]] },
            headers,
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
      expect(answers.find(({ status }) => status === 422)!.body.code).toBe('idempotency_key_reused');
    }
  });

  describe('an id that is sent to both at once', () => {
    it('is accepted once', async () => {
      const { id, domain } = await registered(one);
      for (let race = 0; race < RACES; race++) {
        const ids = Array.from({ length: 20 }, () => randomUUID());
        const answers = await Promise.all(
          [one, other, one, other].map((api) =>
            api.post(`${WEBSITES}/${id}/events`, batchOf(domain, '/once', ids)),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
        const statuses = answers.flatMap(({ body }) =>
          body.data.map(({ status }: { status: string }) => status),
        );
        expect(new Set(statuses)).toEqual(new Set(['accepted', 'duplicate']));
        expect(statuses.filter((status) => status === 'accepted')).toHaveLength(20);
        expect(await pagesOf(one, id)).toEqual({ '/once': 20 * (race + 1) });
      }
    });

    it('is counted once where browsers send it, and is not the id that a server sends', async () => {
      const { id, domain } = await registered(one);
      const ids = Array.from({ length: 20 }, () => randomUUID());
      const sendAll = () =>
        Promise.all([one, other].flatMap((api) => ids.map((eventId) => send(api, domain, '/once', eventId))));
      for (let race = 0; race < RACES; race++) {
        expect((await sendAll()).filter(({ status }) => status !== 202)).toEqual([]);
        expect(await pagesOf(one, id)).toEqual({ '/once': 20 });
      }
      const { body } = await one.post(`${WEBSITES}/${id}/events`, batchOf(domain, '/server', ids));
      expect(body.data).toEqual(ids.map((eventId) => ({ id: eventId, status: 'accepted' })));
      expect(await pagesOf(one, id)).toEqual({ '/once': 20, '/server': 20 });
    });

    if (engine === 'server')
      it.each([
        ['ROLLBACK', 'accepted'],
        ['COMMIT', 'duplicate'],
      ])('is judged when the first one is committed or not: %s', async (ending, status) => {
        const { id, domain } = await registered(one);
        const eventId = randomUUID();
        const rival = await createConnection(database.url);
        await rival.query('START TRANSACTION');
        await rival.query(claimId(id, eventKey('server', eventId)));
        const answer = one.post(`${WEBSITES}/${id}/events`, batchOf(domain, '/once', [eventId]));
        await untilLocksAreAwaited(database.url, CLAIM_IDS);
        await rival.query(ending);
        await rival.end();
        expect((await answer).body.data).toEqual([{ id: eventId, status }]);
        expect(await pagesOf(one, id)).toEqual(status === 'accepted' ? { '/once': 1 } : {});
      });
  });

  onServer('an answer to a commit that is lost', () => {
    it('makes an event a 503 that is counted once', async () => {
      const { id, domain } = await registered(one);
      await send(one, domain, '/known');
      const lost = proxy!.loseAnswerTo((statement) => statement.startsWith(STORE_EVENTS));
      const [answer] = await Promise.all([send(one, domain, '/unheard'), lost]);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/);
      expect(await pagesOf(one, id)).toEqual({ '/known': 1, '/unheard': 1 });
    });

    it('makes an event that is sent again a duplicate', async () => {
      const { id, domain } = await registered(one);
      const eventId = randomUUID();
      const lost = proxy!.loseAnswerTo((statement) => statement.startsWith(STORE_EVENTS));
      const [answer] = await Promise.all([send(one, domain, '/unheard', eventId), lost]);
      expect(answer.status).toBe(503);
      expect((await send(one, domain, '/unheard', eventId)).status).toBe(202);
      expect(await pagesOf(one, id)).toEqual({ '/unheard': 1 });
    });

    it('makes an event of a batch that is sent again a duplicate', async () => {
      const { id, domain } = await registered(one);
      const batch = batchOf(domain, '/unheard', [randomUUID()]);
      const lost = proxy!.loseAnswerTo(
        (statement, previous) => statement === 'COMMIT' && previous.startsWith(STORE_EVENTS),
      );
      const [answer] = await Promise.all([one.post(`${WEBSITES}/${id}/events`, batch), lost]);
      expect(answer.status).toBe(503);
      const again = await one.post(`${WEBSITES}/${id}/events`, batch);
      expect(again.body.data).toMatchObject([{ status: 'duplicate' }]);
      expect(await pagesOf(one, id)).toEqual({ '/unheard': 1 });
    });
  });
});

onServer('a service whose database is far away', () => {
  let proxy: DatabaseProxy;
  let service: Service;
  let api: ApiClient;
  beforeAll(async () => {
    proxy = await DatabaseProxy.start(database.url);
    await start();
  });
  afterAll(async () => {
    await service.program.stop('SIGKILL');
    await proxy.stop();
  });

  async function start(patience?: Partial<typeof PATIENT>): Promise<void> {
    service = await startService({ DATABASE_URL: proxy.url, BOOTSTRAP_API_KEY: KEY }, patience);
    api = new ApiClient(service.address, KEY);
  }

  describe('where a connection ends', () => {
    it('while nothing is asked of it, does not use it any more', async () => {
      const { id, domain } = await registered(api);
      for (const path of ['/a', '/b', '/c']) {
        const all = Array.from({ length: 20 }, () => send(api, domain, path));
        expect((await Promise.all(all)).filter(({ status }) => status !== 202)).toEqual([]);
        proxy.cut();
        // Its answer proves that the service has seen the earlier ends of connections.
        await api.get('/health/live');
      }
      expect(await pagesOf(api, id)).toEqual({ '/a': 20, '/b': 20, '/c': 20 });
    });

    it('with an event under way, answers it with 503, and finds another for the next one', async () => {
      const { id, domain } = await registered(api);
      await send(api, domain, '/known');
      const lost = proxy.loseStatement((statement) => statement.startsWith(STORE_EVENTS));
      const [answer] = await Promise.all([send(api, domain, '/unheard'), lost]);
      expect(answer.status).toBe(503);
      expect((await send(api, domain, '/heard')).status).toBe(202);
      expect(await pagesOf(api, id)).toEqual({ '/known': 1, '/heard': 1 });
    });

    it('with a read under way, makes another attempt', async () => {
      const { id } = await registered(api);
      const lost = proxy.loseStatement((statement) => statement.startsWith(ASK_STATISTICS));
      const [answer] = await Promise.all([api.get(statsOf(id)), lost]);
      expect(answer.status).toBe(200);
    });
  });

  it('answers a read that the database has not ended yet, and the next one sees what came since', async () => {
    const { id, domain } = await registered(api);
    const path = `${WEBSITES}/${id}`;
    const held = proxy.holdUp(
      (statement, previous) => statement === 'COMMIT' && /^SELECT `Website`/.test(previous),
    );
    expect((await api.get(path)).body.data).toMatchObject({ domain, privacy: 1 });
    const pass = await held;
    expect((await api.patch(path, { form: { privacy: 0 } })).status).toBe(200);
    expect((await api.get(path)).body.data.privacy).toBe(0);
    pass();
    for (let read = 0; read < 20; read++) expect((await api.get(path)).body.data.privacy).toBe(0);
  });

  describe('that answers late', () => {
    let site: { id: number; domain: string };
    beforeAll(async () => {
      await service.program.stop('SIGKILL');
      await start({ probeMs: PATIENT.probeMs });
      site = await registered(api);
      await send(api, site.domain, '/');
    });

    interface Late {
      /** The beginning of the statement that is held up. */
      statement: string;
      request: () => ReturnType<ApiClient['get']>;
    }
    const list: Late = { statement: 'SELECT `website`', request: () => api.get(WEBSITES) };
    const shown: Late = {
      statement: 'SELECT `Website`',
      request: () => api.get(`${WEBSITES}/${site.id}`),
    };
    const change: Late = {
      statement: 'UPDATE `websites`',
      request: () => api.patch(`${WEBSITES}/${site.id}`, { form: { privacy: 0 } }),
    };
    const statistics: Late = {
      statement: ASK_STATISTICS,
      request: () => api.get(statsOf(site.id)),
    };
    const event: Late = {
      statement: STORE_EVENTS,
      request: () => send(api, site.domain, '/', randomUUID()),
    };
    const batch: Late = {
      statement: CLAIM_IDS,
      request: () => api.post(`${WEBSITES}/${site.id}/events`, batchOf(site.domain, '/', [randomUUID()])),
    };
    const held = ({ statement }: Late) => proxy.holdUp((sent) => sent.startsWith(statement));
    const expectUnavailable = ({ status, headers, body }: Awaited<ReturnType<ApiClient['get']>>) => {
      expect([status, body.code]).toEqual([503, 'database_unavailable']);
      expect(headers.get('X-Request-Id')).toBe(body.request_id);
    };

    it.each([
      ['a list, a website and an event', () => [list, shown, event]],
      ['a change and a batch', () => [change, batch]],
    ])('to one statement: %s are a 503 while it is held up', async (_, late) => {
      const passes = Promise.all(late().map(held));
      const answers = await Promise.all(late().map(({ request }) => request()));
      answers.forEach(expectUnavailable);
      for (const pass of await passes) pass();
    });

    it('to statements of statistics, has more patience, also with those that wait for them', async () => {
      // Queries about one website run one after the other.
      const first = held(statistics);
      const answers = Promise.all(Array.from({ length: 6 }, statistics.request));
      const pass = await first;
      const meanwhile = held(list);
      expectUnavailable(await list.request());
      for (const late of [await meanwhile, pass]) late();
      expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    });

    it('to each statement: whatever is asked is a 503', async () => {
      // A new connection needs several statements, so none survives this.
      proxy.cut();
      proxy.delayMs = () => 900;
      const all = [list, shown, change, statistics, event, batch];
      const answers = await Promise.all(all.map(({ request }) => request()));
      proxy.delayMs = () => 0;
      answers.forEach(expectUnavailable);
    });
  });
});

describe('a database on a server of its own', () => {
  let server: DatabaseServer | undefined;
  let own: FreshDatabase;
  beforeAll(async () => {
    server = engine === 'server' ? await new DatabaseServer().start() : undefined;
  });
  beforeEach(async () => void (own = await freshDatabase(server?.url)));
  afterAll(() => (server ? server.remove() : own.drop()));

  if (engine === 'server')
    it('is read in one moment also where transactions are READ COMMITTED', async () => {
      const admin = await createConnection(own.url);
      await admin.query('SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await admin.end();
      const process = await CountingProcess.start(own.url);
      const rows = 'SELECT COUNT(*) AS count FROM websites';
      const seen = await process.database.read(async (manager) => {
        const [before] = await manager.query(rows);
        await process.register(1);
        const [after] = await manager.query(rows);
        return [before, after].map(({ count }: { count: unknown }) => Number(count));
      });
      await process.stop();
      expect(seen).toEqual([0, 0]);
    });

  it('does not use the id of a deleted website again, not even after a crash', async () => {
    const environment = { DATABASE_URL: own.url, BOOTSTRAP_API_KEY: KEY };
    let service = await startService(environment);
    let api = new ApiClient(service.address, KEY);
    const first = await registered(api);
    await send(api, first.domain, '/inherited');
    expect(await pagesOf(api, first.id)).toEqual({ '/inherited': 1 });
    await api.delete(`${WEBSITES}/${first.id}`);
    await service.program.stop('SIGKILL');
    await server?.kill();
    await server?.start();
    service = await startService(environment);
    api = new ApiClient(service.address, KEY);
    const second = (await api.post(WEBSITES, { form: { domain: first.domain } })).body.data;
    expect(second.id).toBeGreaterThan(first.id);
    expect(await pagesOf(api, second.id)).toEqual({});
    await service.program.stop('SIGKILL');
  });
});
