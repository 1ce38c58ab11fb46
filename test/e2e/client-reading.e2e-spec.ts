import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { InvalidFields, Milepost, NoAnswer, ScopeTooNarrow } from '../../clients/typescript/src/index';
import { ClientTests, errorOf, eventOf } from '../support/client-tests';
import { FIRST_KEY } from '../support/test-app';
import { until } from '../support/until';

const RANGE = { from: '1970-01-01', to: '9999-12-31' };
const DOMAIN = 'read.example';
const PAGES = ['a', 'a', 'b', 'ü😀'];

const tests = ClientTests.prepare();
const { front } = tests;
let id: number;
beforeAll(async () => {
  id = await tests.websiteOf(DOMAIN);
  const events = PAGES.map((path) => ({ ...eventOf(DOMAIN, path), id: randomUUID() }));
  await tests.milepost.events.send(id, events);
  expect(await tests.pageviews(id)).toBe(PAGES.length);
});

const keyOf = async (scope: 'read' | 'events') =>
  (await tests.milepost.keys.create({ name: scope, scope })).data.key;
const callerOf = (url: string, options = {}) => new Milepost({ url, key: FIRST_KEY, ...options });
const pagesOf = async (milepost: Milepost, signal?: AbortSignal) => {
  const pages: string[] = [];
  for await (const { page } of milepost.stats.hits(id, RANGE, signal && { signal })) pages.push(page);
  return pages;
};

describe('queries', () => {
  it('are asked one by one', async () => {
    const { data, meta } = await tests.milepost.stats.query(id, {
      metrics: ['pageviews', 'visitors'],
      dimensions: ['page'],
      filters: [['is', 'page', ['/a', '/b']]],
      range: ['1970-01-01', '2099-12-31'],
    });
    expect(data).toEqual([
      { page: '/a', pageviews: 2, visitors: 1 },
      { page: '/b', pageviews: 1, visitors: 1 },
    ]);
    expect([meta.total, meta.filters]).toEqual([2, [['is', 'page', ['/a', '/b']]]]);
  });

  it('are asked several at one moment', async () => {
    const queries = [
      { metrics: ['visitors' as const], range: 'all' as const },
      { metrics: ['events' as const], range: 'all' as const },
    ];
    const { data } = await tests.milepost.stats.query(id, { queries });
    expect(data.map((answer) => answer.data)).toEqual([[{ visitors: 1 }], [{ events: 0 }]]);
  });

  it('fail with what is allowed', async () => {
    const error = await errorOf(
      tests.milepost.stats.query(id, { metrics: ['clicks' as never], range: 'all' }),
    );
    expect(error).toBeInstanceOf(InvalidFields);
    expect(error.errors['metrics.0']).toEqual([expect.stringContaining('must be one of')]);
  });
});

it('funnels and journeys are asked', async () => {
  const { data: stored } = await tests.milepost.funnels.create(id, {
    name: 'A to B',
    steps: [{ filters: [['is', 'page', ['/a']]] }, { filters: [['is', 'page', ['/b']]] }],
  });
  const funnel = await tests.milepost.stats.funnel(id, { funnel: stored.name, range: 'all' });
  expect(funnel.data.steps.map(({ visitors }) => visitors)).toEqual([1, 1]);
  const journey = await tests.milepost.stats.journey(id, { from: { page: '/a' }, range: 'all', steps: 1 });
  expect(journey.data.steps[0]!.nodes).toEqual([{ kind: 'page', value: '/b', visits: 1 }]);
  await tests.milepost.funnels.delete(id, stored.id);
});

it('names and values are listed', async () => {
  const names = (await tests.milepost.names.list()).data;
  expect(names.find(({ name }) => name === 'entry_page')).toMatchObject({ level: 'visit', counts: 'visits' });
  const { data, meta } = await tests.milepost.stats.values(id, { name: 'page', search: 'A', per_page: 25 });
  expect(data).toEqual([{ value: '/a', label: '/a', count: 2 }]);
  expect(meta.total).toBe(1);
});

it('visitors of now are read', async () => {
  const { data } = await tests.milepost.stats.live(id);
  expect(data.last_30_minutes.visitors).toBe(1);
  expect(data.last_30_minutes.pages.map(({ value }) => value)).toContain('/a');
  expect(data.minutes).toHaveLength(30);
});

describe('hits', () => {
  it('are read one after the other', async () => {
    expect(await pagesOf(tests.milepost)).toEqual(['/a', '/a', '/b', '/%C3%BC%F0%9F%98%80']);
    for await (const hit of tests.milepost.stats.hits(id, RANGE)) {
      expect(hit).toMatchObject({ hostname: DOMAIN, visitor: 1, props: null });
      break;
    }
    expect(await pagesOf(tests.milepost)).toHaveLength(PAGES.length);
  });

  it('need a key that may', async () => {
    const reader = callerOf(tests.service.address, { key: await keyOf('read') });
    expect(await errorOf(pagesOf(reader))).toBeInstanceOf(ScopeTooNarrow);
    const { data } = await reader.stats.query(id, { metrics: ['visitors'], range: 'all' });
    expect(data).toEqual([{ visitors: 1 }]);
  });

  it('are put together of whatever pieces they come in, after a refusal as well', async () => {
    const text = Buffer.from(`{"page":"/ü"}\n{"page":"/😀"}\n`);
    const url = await front.answer((request, response, number) => {
      expect(request.headers.accept).toBe('application/x-ndjson');
      if (number === 1) {
        const away = { code: 'overloaded', status: 503, detail: '' };
        response.writeHead(503, { 'Retry-After': '0' }).end(JSON.stringify(away));
        return;
      }
      response.end(text);
    });
    const inBytes = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, out) => piece.forEach((byte) => out.enqueue(Uint8Array.of(byte))),
    });
    const byBytes: typeof fetch = async (target, init) => {
      const response = await fetch(target, init);
      return response.ok ? new Response(response.body!.pipeThrough(inBytes)) : response;
    };
    expect(await pagesOf(callerOf(url, { fetch: byBytes }))).toEqual(['/ü', '/😀']);
  });

  it.each([
    ['breaks off', (response: ServerResponse) => response.destroy()],
    ['ends within a line', (response: ServerResponse) => response.end('{"page"')],
  ])('are known not to be whole where the answer %s', async (_, end) => {
    const url = await front.answer((_, response) => {
      response.write('{"page":"/a"}\n', () => void end(response));
    });
    const read: string[] = [];
    const reading = async () => {
      for await (const { page } of callerOf(url).stats.hits(id, RANGE)) read.push(page);
    };
    expect(await errorOf(reading())).toBeInstanceOf(NoAnswer);
    expect(read).toEqual(['/a']);
  });

  describe('that stand still', () => {
    const TIMEOUT_MS = 59_999;
    const set = jest.spyOn(globalThis, 'setTimeout');
    const cleared = jest.spyOn(globalThis, 'clearTimeout');
    beforeEach(() => {
      set.mockClear();
      cleared.mockClear();
    });
    afterAll(() => {
      set.mockRestore();
      cleared.mockRestore();
    });

    /** The functions that end the caller's current waits. */
    const waitingFor = () => {
      const over = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
      return set.mock.calls
        .filter(([, ms], call) => ms === TIMEOUT_MS && !over.has(set.mock.results[call]!.value))
        .map(([end]) => end);
    };

    it('are known not to be whole', async () => {
      const url = await front.answer((_, response) => void response.write('{"page":"/a"}\n'));
      const read: string[] = [];
      const reading = async () => {
        const { stats } = callerOf(url, { timeoutMs: TIMEOUT_MS });
        for await (const { page } of stats.hits(id, RANGE)) read.push(page);
      };
      const ended = errorOf(reading());
      const [end] = await until(() => read.length === 1 && waitingFor());
      end!();
      expect(await ended).toBeInstanceOf(NoAnswer);
      expect(read).toEqual(['/a']);
    });

    it('wait for a reader who takes his time, and end with his signal', async () => {
      const left = jest.fn();
      let goOn!: () => void;
      const url = await front.answer((_, response) => {
        response.once('close', left);
        response.write('{"page":"/a"}\n{"page":"/b"}\n');
        goOn = () => void response.write('{"page":"/c"}\n');
      });
      const reason = new Error('enough');
      const controller = new AbortController();
      const read: string[] = [];
      const reading = async () => {
        const { signal } = controller;
        const { stats } = callerOf(url, { timeoutMs: TIMEOUT_MS });
        for await (const { page } of stats.hits(id, RANGE, { signal })) {
          read.push(page);
          if (page === '/b') {
            expect(waitingFor()).toEqual([]);
            goOn();
          }
          if (page === '/c') controller.abort(reason);
        }
      };
      expect(await errorOf(reading())).toBe(reason);
      expect(read).toEqual(['/a', '/b', '/c']);
      await until(() => left.mock.calls.length > 0);
    });
  });

  it('are not read further than they are used', async () => {
    const left = jest.fn();
    const url = await front.answer((_, response) => {
      response.once('close', left);
      response.write('{"page":"/a"}\n{"page":"/b"}\n');
    });
    for await (const { page } of callerOf(url).stats.hits(id, RANGE)) {
      expect(page).toBe('/a');
      break;
    }
    await until(() => left.mock.calls.length > 0);
  });
});
