import { randomUUID } from 'node:crypto';
import {
  Conflict,
  InUse,
  InvalidFields,
  LimitsSharedPage,
  Milepost,
  MilepostError,
  NoAnswer,
  NotFound,
  PreconditionFailed,
  RateLimited,
  ScopeTooNarrow,
  Unauthorized,
} from '../../clients/typescript/src/index';
import { ClientTests, errorOf, eventOf } from '../support/client-tests';
import { FIRST_KEY, startApp } from '../support/test-app';
import { until } from '../support/until';

const NO_WAIT = { maxWaitMs: 0, retries: 0 };

const tests = ClientTests.prepare();
const { front } = tests;

describe('calls', () => {
  it('manage websites', async () => {
    const created = await tests.milepost.websites.create({ domain: 'managed.example', privacy: 0 });
    const { id } = created.data;
    expect(created).toMatchObject({ data: { domain: 'managed.example', privacy: 0 } });
    const shown = await tests.milepost.websites.get(id);
    expect(shown.etag).toMatch(/^".+"$/);
    const changed = await tests.milepost.websites.update(
      id,
      { exclude_ips: ['10.0.0.1'] },
      { ifMatch: shown.etag! },
    );
    expect(changed.data.exclude_ips).toBe('10.0.0.1');
    const late = await errorOf(tests.milepost.websites.update(id, { privacy: 1 }, { ifMatch: shown.etag! }));
    expect(late).toBeInstanceOf(PreconditionFailed);
    expect((await tests.milepost.websites.list({ search: 'managed.', per_page: 25 })).meta.total).toBe(1);
    expect((await tests.milepost.websites.delete(id)).data).toEqual({ id, object: 'website', deleted: true });
    expect(await errorOf(tests.milepost.websites.get(id))).toBeInstanceOf(NotFound);
  });

  it('manage goals and saved filters', async () => {
    const id = await tests.websiteOf('goals.example');
    const { goals, savedFilters } = tests.milepost;
    const created = await goals.create(id, { name: 'Signup', filters: [['is', 'event', ['signup']]] });
    expect(created.data).toMatchObject({ name: 'Signup', value: null });
    const goalId = created.data.id;
    const shown = await goals.get(id, goalId);
    const money = { value: '49.90', currency: 'EUR' };
    const changed = await goals.update(id, goalId, money, { ifMatch: shown.etag! });
    expect(changed.data).toMatchObject({ value: '49.9', currency: 'EUR' });
    expect(await errorOf(goals.delete(id, goalId, { ifMatch: shown.etag! }))).toBeInstanceOf(
      PreconditionFailed,
    );
    await savedFilters.create(id, { name: 'Converted', filters: [['is', 'goal', ['Signup']]] });
    expect((await savedFilters.list(id, { search: 'conv' })).meta.total).toBe(1);
    const names: string[] = [];
    for await (const { name } of savedFilters.all(id)) names.push(name);
    expect(names).toEqual(['Converted']);
    const refused = await errorOf(goals.delete(id, goalId));
    expect(refused).toBeInstanceOf(InUse);
    expect(refused.message).toContain('the saved filter "Converted"');
    await tests.milepost.websites.update(id, { privacy: 0 });
    const limiting = await savedFilters.create(id, {
      name: 'Public',
      filters: [['is', 'page', ['/']]],
      shared: 1,
    });
    expect(await errorOf(savedFilters.delete(id, limiting.data.id))).toBeInstanceOf(LimitsSharedPage);
  });

  it('manage annotations', async () => {
    const id = await tests.websiteOf('annotations.example');
    const { annotations } = tests.milepost;
    const { data, etag } = await annotations.create(id, { text: 'Deployed', at: '2026-01-31' });
    await annotations.create(id, { text: 'Rolled back', at: '2026-02-01T12:00:00Z' });
    await annotations.update(id, data.id, { public: 1 }, { ifMatch: etag! });
    const { meta } = await annotations.list(id, { from: '2026-02-01', to: '2026-02-01' });
    expect(meta.total).toBe(1);
    const texts: string[] = [];
    for await (const { text } of annotations.all(id)) texts.push(text);
    expect(texts).toEqual(['Rolled back', 'Deployed']);
    expect((await annotations.delete(id, data.id)).data).toMatchObject({ object: 'annotation' });
    expect(await errorOf(annotations.get(id, data.id))).toBeInstanceOf(NotFound);
  });

  it('manage alerts, and read when they fired', async () => {
    const id = await tests.websiteOf('alerts.example');
    const { alerts } = tests.milepost;
    const rule = { metric: 'visitors', condition: 'above', threshold: 5 } as const;
    const { data, etag } = await alerts.create(id, { name: 'Busy', ...rule });
    await alerts.update(id, data.id, { quiet_hours: 2 }, { ifMatch: etag! });
    const all = [];
    for await (const { name, quiet_hours } of alerts.all(id)) all.push([name, quiet_hours]);
    expect(all).toEqual([['Busy', 2]]);
    expect((await alerts.firings(id, data.id, { per_page: 10 })).meta.total).toBe(0);
    for await (const firing of alerts.allFirings(id, data.id)) throw new Error(firing.at);
    expect((await alerts.delete(id, data.id)).data).toMatchObject({ object: 'alert' });
  });

  it('set the recipients of reports', async () => {
    const { milepost } = tests;
    const id = await tests.websiteOf('reported.example');
    const { etag } = await milepost.reports.recipients(id);
    const team = [{ address: 'team@example.com', state: 'pending' }];
    const set = await milepost.reports.setRecipients(id, ['team@example.com'], { ifMatch: etag! });
    expect(set.data.recipients).toEqual(team);
    expect((await milepost.reports.recipients(id)).data.recipients).toEqual(team);
    expect(await errorOf(milepost.reports.setRecipients(id, [], { ifMatch: etag! }))).toBeInstanceOf(
      PreconditionFailed,
    );
    expect(await errorOf(milepost.reports.sendNow(id))).toBeInstanceOf(Conflict);
  });

  it('manage webhooks and their deliveries', async () => {
    const { webhooks } = tests.milepost;
    const created = await webhooks.create({ url: 'https://hooks.example/', events: ['alert'] });
    const { id, secret } = created.data;
    expect(secret).toMatch(/^whsec_/);
    const changed = await webhooks.update(id, { events: ['report'] }, { ifMatch: created.etag! });
    expect(await errorOf(webhooks.delete(id, { ifMatch: created.etag! }))).toBeInstanceOf(PreconditionFailed);
    expect((await webhooks.get(id)).data).toEqual(changed.data);
    const urls: string[] = [];
    for await (const { url } of webhooks.all()) urls.push(url);
    expect([urls, (await webhooks.list()).meta.total]).toEqual([['https://hooks.example/'], 1]);
    expect((await webhooks.renewSecret(id)).data.secret).not.toBe(secret);
    const test = (await webhooks.test(id)).data;
    expect((await webhooks.delivery(id, test.id)).data.body).toBe(test.body);
    expect((await webhooks.deliveries(id, { per_page: 10 })).data).toMatchObject([{ event: 'test' }]);
    await webhooks.update(id, { enabled: 0 });
    expect(await errorOf(webhooks.sendAgain(id, test.id))).toBeInstanceOf(Conflict);
    expect((await webhooks.delete(id)).data).toMatchObject({ object: 'webhook' });
  });

  it('manage keys and oneself', async () => {
    const { data } = await tests.milepost.keys.create({ name: 'reader', scope: 'read' });
    const reader = new Milepost({ url: tests.service.address, key: data.key });
    expect((await reader.me.get()).data).toMatchObject({ key: { id: data.id, scope: 'read' } });
    expect(await errorOf(reader.me.update({ email: 'new@example.com' }))).toBeInstanceOf(ScopeTooNarrow);
    expect((await tests.milepost.keys.get(data.id)).data.name).toBe('reader');
    expect((await tests.milepost.keys.list({ per_page: 100 })).data.map(({ id }) => id)).toContain(data.id);
    await tests.milepost.keys.delete(data.id);
    expect(await errorOf(reader.me.get())).toBeInstanceOf(Unauthorized);
  });

  it('iterate pages, and ask for no more of them than are used', async () => {
    for (let number = 0; number < 21; number++) await tests.websiteOf(`page${number}.iterated.example`);
    const requested: string[] = [];
    const counting = new Milepost({
      url: tests.service.address,
      key: FIRST_KEY,
      fetch: (target, init) => {
        requested.push((target as URL).href);
        return fetch(target, init);
      },
    });
    const domains: string[] = [];
    for await (const { domain } of counting.websites.all({ search: 'iterated', per_page: 10 }))
      domains.push(domain);
    expect(new Set(domains).size).toBe(21);
    expect(requested).toHaveLength(3);
    for await (const website of counting.websites.all({ search: 'iterated', per_page: 10 })) {
      expect(website.domain).toContain('iterated');
      break;
    }
    expect(requested).toHaveLength(4);
    expect(await tests.milepost.websites.all({ search: 'nothing matches' }).next()).toMatchObject({
      done: true,
    });
  });

  it('tell problems apart, with what is wrong', async () => {
    const invalid = await errorOf(tests.milepost.websites.create({ domain: 'not a domain' }));
    expect(invalid).toBeInstanceOf(InvalidFields);
    expect(invalid).toBeInstanceOf(MilepostError);
    expect(invalid).toMatchObject({ name: 'InvalidFields', status: 422, code: 'invalid_fields' });
    expect(invalid.errors.domain).toHaveLength(1);
    expect(invalid.message).toContain('domain:');
    expect(invalid.requestId).toMatch(/^[\w-]{36}$/);
    const page = await front.answer(
      (_, response) => void response.writeHead(502).end('<html>Bad Gateway</html>'),
    );
    const foreign = await errorOf(new Milepost({ url: page, key: FIRST_KEY }).me.get());
    expect(foreign).toBeInstanceOf(NoAnswer);
    expect(foreign.status).toBe(502);
    const unknown = await front.answer(
      (_, response) => void response.writeHead(418).end('{"code":"teapot","detail":"I"}'),
    );
    expect(await errorOf(new Milepost({ url: unknown }).me.get())).toMatchObject({
      code: 'teapot',
      status: undefined,
    });
    expect(await errorOf(new Milepost({ url: 'http://127.0.0.1:1' }).me.get())).toBeInstanceOf(NoAnswer);
  });

  it('send no key to another address', async () => {
    const elsewhere = jest.fn();
    const other = await front.answer(
      (request, response) => void (elsewhere(request.headers.authorization), response.end('{}')),
    );
    const moved = await front.answer(
      (_, response) => void response.writeHead(302, { Location: other }).end(),
    );
    expect(await errorOf(new Milepost({ url: moved, key: FIRST_KEY }).me.get())).toBeInstanceOf(NoAnswer);
    expect(elsewhere).not.toHaveBeenCalled();
  });
});

describe('a request that is refused for now', () => {
  it('is sent again when its time has come', async () => {
    const limited = await startApp({ RATE_LIMIT: 'management=2/1' });
    try {
      const patient = new Milepost({ url: limited.address, key: FIRST_KEY, retries: 10 });
      for (let number = 0; number < 5; number++) await patient.me.get();
    } finally {
      await limited.stop();
    }
  });

  it('is an error where no time is given to wait', async () => {
    const limited = await startApp({ RATE_LIMIT: 'management=2/60' });
    try {
      const impatient = new Milepost({ url: limited.address, key: FIRST_KEY, ...NO_WAIT });
      const requested = Array.from({ length: 6 }, () => errorOf(impatient.me.get()));
      const refused = (await Promise.all(requested)).filter(Boolean);
      expect(refused.length).toBeGreaterThan(0);
      for (const error of refused) expect(error).toBeInstanceOf(RateLimited);
      expect(refused[0].retryAfter).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });

  it('is not waited for longer than is said, in all', async () => {
    let requests = 0;
    const limited = await front.answer((_, response) => {
      const [waits, problem] = [++requests === 1 ? '1' : '3600', { code: 'rate_limited', status: 429 }];
      response.writeHead(429, { 'Retry-After': waits }).end(JSON.stringify(problem));
    });
    const short = new Milepost({ url: limited, key: FIRST_KEY, maxWaitMs: 3_600_999 });
    expect(await errorOf(short.me.get())).toMatchObject({ name: 'RateLimited', retryAfter: 3600 });
    expect(requests).toBe(2);
  });

  it('makes nothing twice, though its answer was lost', async () => {
    const losing = await front.answer(async (request, response, number) => {
      const { status, text } = await front.forward(request);
      const away = { code: 'database_unavailable', status: 503, detail: '' };
      if (number === 1) response.writeHead(503, { 'Retry-After': '0' }).end(JSON.stringify(away));
      else response.writeHead(status).end(text);
    });
    const id = await tests.websiteOf('lost.example');
    const caller = new Milepost({ url: losing, key: FIRST_KEY });
    const event = { ...eventOf('lost.example', 'once'), id: randomUUID() };
    expect((await caller.events.send(id, [event])).data).toEqual([{ id: event.id, status: 'duplicate' }]);
    expect(await tests.pageviews(id)).toBe(1);
  });

  it('is sent again where a proxy refuses it', async () => {
    const busy = await front.answer(async (request, response, number) => {
      const { status, text } = await front.forward(request);
      if (number === 1) response.writeHead(503, { 'Retry-After': '0' }).end('<h1>Try later</h1>');
      else if (number === 2) response.writeHead(429, { 'Retry-After': '0' }).end();
      else response.writeHead(status).end(text);
    });
    expect((await new Milepost({ url: busy, key: FIRST_KEY }).me.update({})).data.id).toBe(1);
  });

  it('is not sent again where that could make a second key or post, and no more often than is said', async () => {
    let requests = 0;
    const away = await front.answer((_, response) => {
      requests++;
      const problem = { code: 'overloaded', status: 503, detail: '' };
      response.writeHead(503, { 'Retry-After': '0' }).end(JSON.stringify(problem));
    });
    const caller = new Milepost({ url: away, key: FIRST_KEY, retries: 2 });
    expect(await errorOf(caller.keys.create({ name: 'one', scope: 'read' }))).toMatchObject({
      code: 'overloaded',
      retryAfter: 0,
    });
    expect(requests).toBe(1);
    expect(await errorOf(caller.webhooks.sendAgain(1, 1))).toMatchObject({ code: 'overloaded' });
    expect(requests).toBe(2);
    expect(await errorOf(caller.me.get())).toMatchObject({ code: 'overloaded' });
    expect(requests).toBe(5);
  });

  it('ends with its signal, while it is sent and while it waits', async () => {
    const reason = new Error('enough');
    const silent = new Milepost({ url: await front.answer(() => undefined), timeoutMs: 200 });
    expect(await errorOf(silent.me.get())).toBeInstanceOf(NoAnswer);
    const controller = new AbortController();
    const requested = await front.answer(() => controller.abort(reason));
    const sending = new Milepost({ url: requested }).me.get({ signal: controller.signal });
    expect(await errorOf(sending)).toBe(reason);
    expect(await errorOf(tests.milepost.me.get({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    const url = await front.answer(
      (_, response) =>
        void response.writeHead(429, { 'Retry-After': '59' }).end('{"code":"rate_limited","status":429}'),
    );
    const waiting = new AbortController();
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const ended = errorOf(new Milepost({ url }).me.get({ signal: waiting.signal }));
    await until(() => timers.mock.calls.some(([, milliseconds]) => milliseconds === 59_000));
    timers.mockRestore();
    waiting.abort(reason);
    expect(await ended).toBe(reason);
    const iterated = new Milepost({ url }).websites.all({}, { signal: AbortSignal.abort(reason) });
    expect(await errorOf(iterated.next())).toBe(reason);
  });
});
