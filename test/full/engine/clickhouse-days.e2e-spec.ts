import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClickhouseDays } from '../../../engine/clickhouse/clickhouse-days';
import { ClickhouseServer, HANGS, MOST } from '../../../engine/clickhouse/clickhouse-server';
import { readRowsOfDay } from '../../../engine/rows/row-days';
import { refuseDiffering, RowsDiffer, type RowWriter, type WrittenRows } from '../../../engine/rows/row-home';
import { ROW_COLUMNS } from '../../../engine/rows/row-tables';
import type { Cell } from '../../../engine/rows/rows-of-block';
import type { DayKey } from '../../../engine/port';
import { Clickhouse } from '../../support/clickhouse';
import { InFront } from '../../support/in-front';
import { until } from '../../support/until';

const DAY = 20_000;
const KEY: DayKey = { websiteId: 7, day: DAY, version: 3 };
const AWAY = { code: 'warehouse_unavailable', retryAfterSeconds: 10 };

let clickhouse: Clickhouse;
const inFront = new InFront(() => `http://127.0.0.1:${clickhouse.port}`);
beforeAll(async () => void (clickhouse = await Clickhouse.start()));
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  inFront.close();
  await clickhouse.stop();
});

/** Rows of a day with as many visitors, each with one hit. */
function rowsFrom(key: DayKey, first: number, count: number): WrittenRows {
  const hits = Array.from({ length: count }, (_, index) => {
    const place = first + index;
    const own: Record<string, Cell> = {
      ...{ website: key.websiteId, day: key.day, version: key.version, visitor: place, place },
      ...{ at: 86_400 * key.day + place, is_known: 1, visit: place, visit_at: 86_400 * key.day + place },
      ...{ is_direct: 1, is_passive: 0, visit_bounce: 1, visit_seconds: 0, page: `/${place} 𝄞\0"` },
      ...(place === 1 && { value_high: -9_007_199, value_low: -3, currency: 'EUR' }),
      ...(place === 2 && { properties: '[["b",1],["a","x"]]', property_names: '["a","b"]' }),
    };
    return ROW_COLUMNS.map((name) => own[name] ?? null);
  });
  const ofKey = [key.websiteId, key.day, key.version, 2, 2];
  const properties =
    first <= 2 && first + count > 2
      ? [
          [...ofKey, 'b', '1'],
          [...ofKey, 'a', 'x'],
        ]
      : [];
  return { hits, properties };
}

const writerOf = (days: ClickhouseDays): RowWriter => days.writer(() => Promise.resolve());

async function write(days: ClickhouseDays, key: DayKey, hits: number): Promise<void> {
  const writer = writerOf(days);
  await writer.add(key, rowsFrom(key, 0, hits));
  refuseDiffering(await writer.end());
}

const versionsIn = (days: ClickhouseDays, after?: DayKey) =>
  days.listVersions({ from: DAY - 100, to: DAY + 100 }, 10, after);
const noDatabase = () => Promise.reject(new Error('SQL is not asked'));
const sumsOf = (days: ClickhouseDays, key: DayKey) => days.readSums(noDatabase, key);

async function hitsOf(days: ClickhouseDays, key: DayKey, check?: () => void): Promise<number> {
  let hits = 0;
  for await (const { block } of readRowsOfDay(days, noDatabase, key, check ? { check } : {}))
    hits += block.hits;
  return hits;
}

it('keeps rows as they are, and the properties of events as lists', async () => {
  const days = new ClickhouseDays(clickhouse.freshTable());
  const other = { ...KEY, version: 4 };
  const writer = writerOf(days);
  await writer.add(KEY, rowsFrom(KEY, 0, 2));
  await writer.add(other, rowsFrom(other, 0, 5));
  await writer.add(KEY, rowsFrom(KEY, 2, 2));
  refuseDiffering(await writer.end());
  expect(await sumsOf(days, KEY)).toEqual({ hits: 4, places: 6 });
  expect(await hitsOf(days, KEY)).toBe(4);
  const stored = await clickhouse.query(
    `SELECT page, value_high, value_low, properties, property_names, property_values, at, day
    FROM ${days.table} WHERE version = 3 ORDER BY place FORMAT JSONCompactEachRow`,
  );
  expect(stored.slice(1, 3)).toEqual([
    ['/1 𝄞\0"', '-9007199', '-3', null, [], [], '2024-10-04 00:00:01', '2024-10-04'].map((own) =>
      typeof own === 'string' && /^-\d+$/.test(own) ? Number(own) : own,
    ),
    [
      '/2 𝄞\0"',
      null,
      null,
      '[["b",1],["a","x"]]',
      ['b', 'a'],
      ['1', 'x'],
      '2024-10-04 00:00:02',
      '2024-10-04',
    ],
  ]);
  expect(await versionsIn(days)).toEqual([KEY, other]);
  expect(await versionsIn(days, KEY)).toEqual([other]);
  await days.drop([KEY]);
  expect(await versionsIn(days)).toEqual([other]);
  expect(await sumsOf(days, KEY)).toEqual({ hits: 0, places: 0 });
});

it('lists the versions of some days, and keeps a mark of the table', async () => {
  const days = new ClickhouseDays(clickhouse.freshTable());
  expect([await days.span(), await days.readMark()]).toEqual([undefined, '']);
  const later = { ...KEY, day: DAY + 40 };
  for (const key of [KEY, later]) await write(days, key, 3);
  expect(await days.span()).toEqual({ from: DAY, to: DAY + 40 });
  expect(await days.listVersions({ from: DAY + 1, to: DAY + 40 }, 10)).toEqual([later]);
  await days.writeMark('0a1b');
  expect(await new ClickhouseDays(days.address).readMark()).toBe('0a1b');
});

it('reads fewer rows at once where their answer would be too large', async () => {
  const days = new ClickhouseDays(clickhouse.freshTable());
  jest.replaceProperty(MOST, 'bytes', 16 * 1024);
  await write(days, KEY, 500);
  let reserved = 0;
  let hits = 0;
  const reserve = (bytes: number) => void (reserved = Math.max(reserved, bytes));
  for await (const { block } of readRowsOfDay(days, noDatabase, KEY, { reserve })) hits += block.hits;
  expect(hits).toBe(500);
  expect(reserved).toBeGreaterThan(500);
});

it('writes small days together, and each day in pages', async () => {
  const days = new ClickhouseDays(clickhouse.freshTable());
  const inserted = jest.spyOn(ClickhouseServer.prototype, 'insert');
  const writer = writerOf(days);
  const keys = Array.from({ length: 40 }, (_, index) => ({ ...KEY, day: DAY + index }));
  for (const key of keys) await writer.add(key, rowsFrom(key, 0, 30));
  refuseDiffering(await writer.end());
  expect(inserted).toHaveBeenCalledTimes(2);
  inserted.mockRestore();
  expect(await hitsOf(days, keys[7]!)).toBe(30);
  await write(days, KEY, 700).catch((error: unknown) => expect(error).toBeInstanceOf(RowsDiffer));
  expect(await sumsOf(days, KEY)).toMatchObject({ hits: 730 });
});

it('names what its table cannot do', async () => {
  const days = new ClickhouseDays(clickhouse.freshTable());
  expect(await days.check()).toEqual([]);
  expect(await days.check()).toEqual([]);
  expect(await versionsIn(days)).toEqual([]);
  const other = new ClickhouseDays(clickhouse.freshTable());
  await clickhouse.query(`CREATE TABLE ${other.table} (website UInt32) ENGINE = MergeTree ORDER BY website`);
  expect(await other.check()).toEqual([expect.stringMatching(/^the columns day, version, .* of default\./)]);
  const refusing = new ClickhouseDays(clickhouse.freshTable());
  await refusing.create();
  await clickhouse.query(`ALTER TABLE ${refusing.table} ADD CONSTRAINT short CHECK length(page) < 1000`);
  expect(await refusing.check()).toEqual([
    expect.stringMatching(/^the writing, reading and removal of rows/),
  ]);
});

it('adds the columns of later releases to its table', async () => {
  const days = new ClickhouseDays(clickhouse.freshTable());
  await write(days, KEY, 3);
  for (const name of ['screen_resolution', 'properties'])
    await clickhouse.query(`ALTER TABLE ${days.table} DROP COLUMN ${name}`);
  await clickhouse.query(`ALTER TABLE ${days.table} ADD COLUMN of_others UInt8`);
  const later = new ClickhouseDays(days.address);
  expect(await later.check()).toEqual([]);
  await write(later, { ...KEY, version: 4 }, 3);
  expect(await hitsOf(later, KEY)).toBe(3);
});

it('gives no answer from a day that has one row twice, and lacks another', async () => {
  const days = new ClickhouseDays(clickhouse.freshTable());
  await write(days, KEY, 5);
  await clickhouse.query(
    `INSERT INTO ${days.table} SELECT * FROM ${days.table} WHERE version = 3 AND place = 3`,
  );
  await clickhouse.query(`DELETE FROM ${days.table} WHERE version = 3 AND place = 2`);
  expect((await sumsOf(days, KEY)).hits).toBe(5);
  await expect(hitsOf(days, KEY)).rejects.toMatchObject({
    ...AWAY,
    detail: expect.stringMatching('all hits'),
  });
});

/** What happens to requests on their way, from a number on. */
type Fault = (request: IncomingMessage, response: ServerResponse, number: number) => Promise<void> | void;

async function behind(fault: Fault): Promise<ClickhouseDays> {
  const address = await inFront.answer(async (request, response, number) => fault(request, response, number));
  return new ClickhouseDays({
    ...clickhouse.freshTable(Number(new URL(address).port)),
    port: Number(new URL(address).port),
  });
}

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, text } = await inFront.forward(request);
  response.writeHead(status).end(text);
}

/** By what a request asks for. */
function isInsert(request: IncomingMessage): boolean {
  return new URL(request.url!, 'http://here').searchParams.get('query')?.startsWith('INSERT') ?? false;
}

describe.each<[string, Fault]>([
  ['resets', (request) => void request.socket.resetAndDestroy()],
  [
    'ends in the middle',
    (request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Length': 1000 }).write('{"data": [[1');
      setTimeout(() => response.destroy(), 20);
    },
  ],
  ['ends early, as if it were whole', (_, response) => void response.end('{"meta":[],"data":[],"rows":3}')],
  [
    'has an exception behind it',
    async (request, response) => {
      const { text } = await inFront.forward(request);
      response.end(`${text}Code: 241. DB::Exception: Memory limit exceeded`);
    },
  ],
  ['is a page of a proxy', (_, response) => void response.end('<html>')],
  [
    'is an error',
    (_, response) => void response.writeHead(500).end('Code: 60. DB::Exception: Unknown table'),
  ],
])('an answer that %s', (_, fault) => {
  it('is none', async () => {
    const days = await behind(fault);
    await expect(sumsOf(days, KEY)).rejects.toMatchObject(AWAY);
    await expect(hitsOf(days, KEY)).rejects.toMatchObject(AWAY);
    await expect(versionsIn(days)).rejects.toMatchObject(AWAY);
  });

  it('to an insert leaves the day where it is, and what was written is removed', async () => {
    let isFaulty = true;
    const days = await behind(async (request, response, number) => {
      if (!isFaulty || !isInsert(request)) return pass(request, response);
      // Half of the failures come after the rows were written.
      if (number % 2 === 0) await inFront.forward(request);
      await fault(request, response, number);
    });
    const results: unknown[] = [];
    for (let version = 1; version <= 4; version++)
      results.push(
        await write(days, { ...KEY, version }, 3).then(
          () => 'written',
          () => 'failed',
        ),
      );
    isFaulty = false;
    // An answer to an insert is empty, so some faults change nothing: then the rows were read back.
    for (const [index, result] of results.entries()) {
      const stored = (await sumsOf(days, { ...KEY, version: index + 1 })).hits;
      expect([result, stored]).toEqual(
        result === 'written' ? ['written', 3] : ['failed', expect.any(Number)],
      );
    }
    await days.drop([1, 2, 3, 4].map((version) => ({ ...KEY, version })));
    await write(days, { ...KEY, version: 5 }, 3);
    expect(await versionsIn(days)).toEqual([{ ...KEY, version: 5 }]);
  });
});

it('ends a request whose caller leaves', async () => {
  let closed = 0;
  const days = await behind((request, response) => {
    request.resume();
    response.on('close', () => closed++);
  });
  const left = new Error('the caller left');
  const leavesAt = performance.now() + 200;
  const check = () => {
    if (performance.now() > leavesAt) throw left;
  };
  await expect(hitsOf(days, KEY, check)).rejects.toBe(left);
  await until(() => closed === 1);
});

it('waits for no answer once its process ends', async () => {
  let requests = 0;
  const days = await behind((request) => {
    requests++;
    request.resume();
  });
  const asked = [sumsOf(days, KEY), write(days, KEY, 3)].map((work) =>
    expect(work).rejects.toMatchObject(AWAY),
  );
  await until(() => requests === 2);
  days.stop();
  await Promise.all(asked);
  await expect(sumsOf(days, KEY)).rejects.toMatchObject(AWAY);
  expect(requests).toBe(2);
});

it('refuses questions at once after one had no answer for long', async () => {
  jest.replaceProperty(HANGS, 'afterMs', 100);
  let requests = 0;
  const days = await behind((request) => {
    requests++;
    request.resume();
  });
  const left = new Error('the caller left');
  const leavesAt = performance.now() + 200;
  const check = () => {
    if (performance.now() > leavesAt) throw left;
  };
  await expect(hitsOf(days, KEY, check)).rejects.toBe(left);
  await expect(hitsOf(days, KEY, () => undefined)).rejects.toMatchObject(AWAY);
  expect(requests).toBe(1);
});

it('finds rows that were written twice, are missing, or differ', async () => {
  for (const [spoil, spoiled] of [
    ['twice', (sql: string, rows: string[]) => sql && [...rows, ...rows]],
    ['missing', (_: string, rows: string[]) => rows.slice(1)],
    ['other', (_: string, rows: string[]) => rows.map((row) => row.replace('/1 ', '/2 '))],
  ] as const) {
    const days = await behind(async (request, response) => {
      if (!isInsert(request)) return pass(request, response);
      const forwarded = await inFront.forward(request, (body) => {
        const rows = body.toString().trim().split('\n');
        return [...spoiled(spoil, rows)].join('\n');
      });
      response.end(forwarded.text);
    });
    await expect(write(days, KEY, 3)).rejects.toBeInstanceOf(RowsDiffer);
  }
});
