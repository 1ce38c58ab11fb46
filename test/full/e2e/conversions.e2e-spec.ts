import { expectDocumentedDelivery } from '../../support/documented';
import { Logger } from '@nestjs/common';
import { Overloaded } from '../../../engine/ground/errors';
import { DatabaseUnavailable } from '../../../engine/database/errors';
import type { Hit } from '../../../engine/hits/hit';
import { ExclusionsService } from '../../../src/exclusions/exclusions.service';
import { GoalsService } from '../../../src/goals/goals/goals.service';
import { ConversionsService } from '../../../src/stats/queries/conversions/conversions.service';
import { ConversionReader } from '../../../src/webhooks/conversions/conversion-reader';
import { FollowedRepository } from '../../../src/webhooks/conversions/followed.repository';
import { WebhooksService } from '../../../src/webhooks/webhooks.service';
import { moveCursor, readFollowed, unfollow } from '../../../engine/columns/followed-websites';
import { readDay } from '../../../engine/columns/stored-days';
import { CountingProcess, daysOver, pageViewOn, smallDaySealing, TODAY } from '../../support/counting';
import { engine, type FreshDatabase } from '../../support/fresh-database';
import { untilLocksAreAwaited } from '../../support/lock-waits';
import { passTime } from '../../support/passing-time';
import { FOLLOW, FOLLOWED, setHeldAt, setReadAt } from '../../support/store-hooks';
import { exclude } from '../../support/website-resources';
import { Endpoint, endLeases, type Sender, startSender, webhooksDatabase } from '../../support/webhooks';
import { PATIENCE_MS, until } from '../../support/until';
import { HitStore } from '../../../engine/port';
import { type ColumnStore } from '../../../engine/columns/column-store';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY = TODAY - 1;
const SIGNUP = [['is', 'event', ['signup']]];

let fresh: FreshDatabase;
let sender: Sender;
let one: CountingProcess;
let websiteId = 700;
let webhookId: number;
let now: number;
beforeAll(async () => {
  Logger.overrideLogger(false);
  fresh = await webhooksDatabase(2);
  sender = await startSender({ DATABASE_URL: fresh.url });
  one = await CountingProcess.start(fresh.url);
});
afterAll(async () => {
  Logger.overrideLogger(true);
  await one.stop();
  await sender.stop();
  await fresh.drop();
});
beforeEach(async () => {
  now = Date.now();
  sender.logs.length = 0;
  await one.register(++websiteId);
  ({ id: webhookId } = await sender.webhook('http://127.0.0.1:1/', { events: ['goal.reached'] }));
});
afterEach(async () => {
  await sender.service(WebhooksService).delete(1, webhookId);
  // No later test reads this website.
  await one.execute('DELETE FROM goals WHERE website_id = ?', [websiteId]);
});

/** The followed websites from one on. */
async function followed(first: number): Promise<number[]> {
  const rows = await one.database.query<{ website_id: number }[]>(FOLLOWED);
  return rows.map(({ website_id }) => website_id).filter((id) => id >= first);
}
const signup = (visitor: string, fields: Partial<Hit> = {}): Hit =>
  pageViewOn(TODAY, '/join', visitor, { event: 'signup', ...fields });
const view = (page: string, visitor: string, fields: Partial<Hit> = {}): Hit =>
  pageViewOn(TODAY, page, visitor, fields);
const on = (day: number, hit: Hit): Hit => ({ ...hit, day, at: hit.at - 86_400 * (hit.day - day) });

/** Reads as of a minute later. */
async function read(): Promise<void> {
  now += MINUTE_MS + 1000;
  await sender.read(now);
}

async function bodies(): Promise<any[]> {
  const deliveries = (await sender.deliveries(webhookId)).reverse();
  const all = await Promise.all(
    deliveries.map(
      async ({ id }) => JSON.parse((await sender.delivery(webhookId, Number(id))).body) as { event: string },
    ),
  );
  for (const body of all) expectDocumentedDelivery(body);
  return all;
}

/** The conversions of each goal, over all deliveries. */
async function reached(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { goals } of await bodies())
    for (const { name, conversions } of goals) sums[name] = (sums[name] ?? 0) + conversions;
  return sums;
}

it('conversions are in a delivery, with their goals and the latest hits', async () => {
  const id = await sender.goal(websiteId, 'Signup', SIGNUP, { value: '20.50', currency: 'EUR' });
  const buying = await sender.goal(websiteId, 'Purchase', [['is', 'event', ['buy']]]);
  await sender.goal(websiteId, 'Never', [['is', 'page', ['/never']]]);
  await read();
  await one.count(websiteId, [
    view('/', 'a', { referrer: 'news.example' }),
    signup('a', { at: 86_400 * TODAY + 10, referrer: 'news.example' }),
    signup('b', { at: 86_400 * TODAY + 5, country: 'FR' }),
    view('/cart', 'b', { event: 'buy', value: '199000', currency: 'EUR' }),
    view('/cart', 'c', { event: 'buy', value: '-9000', currency: 'EUR' }),
  ]);
  await read();
  const [body, ...others] = await bodies();
  expect(others).toEqual([]);
  expect(body).toMatchObject({
    event: 'goal.reached',
    website: { id: websiteId, domain: `counted${websiteId}.example` },
    from: expect.stringMatching(/Z$/),
    to: expect.stringMatching(/Z$/),
  });
  expect(Date.parse(body.to) - Date.parse(body.from)).toBeGreaterThan(MINUTE_MS - 1);
  const moment = (second: number) => new Date((86_400 * TODAY + second) * 1000).toISOString();
  expect(body.goals).toEqual([
    {
      ...{ id, name: 'Signup', conversions: 2, value: '41', currency: 'EUR' },
      latest: [
        { at: moment(10), page: '/join', event: 'signup', country: 'DE', referrer: 'news.example' },
        { at: moment(5), page: '/join', event: 'signup', country: 'FR', referrer: null },
      ],
    },
    expect.objectContaining({ id: buying, name: 'Purchase', conversions: 2, value: '19', currency: 'EUR' }),
  ]);
});

it('are without what is excluded when they are read, and those that were sent are not sent again', async () => {
  // On a busy machine, a reading may be left to the next one.
  const readBeyond = (signups: number) =>
    until(async () => {
      await read();
      return (await reached()).Signup !== signups;
    });
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await one.count(websiteId, [signup('a'), signup('b', { country: 'FR' })]);
  await read();
  expect(await reached()).toEqual({ Signup: 2 });
  const undo = await exclude(sender.service(ExclusionsService), websiteId, [['is', 'country', ['FR']]]);
  await one.count(websiteId, [signup('b', { country: 'FR' }), signup('c', { country: 'FR' }), signup('d')]);
  await readBeyond(2);
  expect(await reached()).toEqual({ Signup: 3 });
  await undo();
  await one.count(websiteId, [signup('c', { country: 'FR' })]);
  await readBeyond(3);
  expect(await reached()).toEqual({ Signup: 4 });
});

it('each is in one delivery, however hits are folded and batches merged, and on several days', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await sender.goal(websiteId, 'Pages', [['starts', 'page', ['/p']]]);
  await read();
  let [signups, pages] = [0, 0];
  for (let round = 0; round < 12; round++) {
    for (let fold = 0; fold < 9; fold++) {
      const hits = [signup('a'), view(`/p${fold}`, 'b'), view('/x', 'c')].map((hit, index) =>
        (round + fold + index) % 3 === 0 ? on(DAY, hit) : hit,
      );
      await one.count(websiteId, hits, 2);
      [signups, pages] = [signups + 1, pages + 1];
    }
    const folder = (await one.folderOf(websiteId))!;
    if (round % 2 === 0) await folder.mergeBatches();
    await folder.lease.release();
    // The longest pause after a reading, which takes long on a busy machine.
    now += 45 * MINUTE_MS;
    await read();
    expect(await reached()).toEqual({ Signup: signups, Pages: pages });
  }
  await read();
  expect(await bodies()).toHaveLength(12);
});

it('what was there before the website was followed does not count', async () => {
  await one.count(websiteId, [signup('a'), on(DAY, signup('b'))]);
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await read();
  expect(await bodies()).toEqual([]);
  await one.count(websiteId, [signup('c')]);
  await read();
  expect(await reached()).toEqual({ Signup: 1 });
});

describe('what comes before the first reading', () => {
  const update = (fields: object) => sender.service(WebhooksService).update(1, webhookId, fields);

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['a goal', () => Promise.resolve(), () => sender.goal(websiteId, 'Signup', SIGNUP)],
    ['an enabled webhook', () => update({ enabled: 0 }), () => update({ enabled: 1 })],
    ['the event', () => update({ events: ['report'] }), () => update({ events: ['goal.reached'] })],
    [
      'a webhook',
      () => sender.service(WebhooksService).delete(1, webhookId),
      async () => {
        ({ id: webhookId } = await sender.webhook('http://127.0.0.1:1/', { events: ['goal.reached'] }));
      },
    ],
  ])('counts from the moment when there is %s', async (what, before, begin) => {
    await before();
    if (what !== 'a goal') await sender.goal(websiteId, 'Signup', SIGNUP);
    await one.count(websiteId, [signup('a'), on(DAY, signup('a'))]);
    await begin();
    await one.count(websiteId, [signup('b'), on(DAY, signup('c'))]);
    // What is followed goes on, and does not begin anew.
    await sender.goal(websiteId, 'Never', [['is', 'page', ['/never']]]);
    await update({ events: ['alert', 'goal.reached'] });
    await read();
    await read();
    expect(await reached()).toEqual({ Signup: 2 });
  });
});

it('a website is followed while it has a goal and its owner wants to know', async () => {
  const id = await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await sender.service(WebhooksService).update(1, webhookId, { enabled: 0 });
  await one.count(websiteId, [signup('a')]);
  await read();
  await sender.service(WebhooksService).update(1, webhookId, { enabled: 1 });
  await read();
  await one.count(websiteId, [signup('b')]);
  await read();
  expect(await reached()).toEqual({ Signup: 1 });
  await sender.service(GoalsService).delete(1, websiteId, id);
  await one.count(websiteId, [signup('c')]);
  await read();
  expect(await followed(websiteId)).toEqual([]);
});

it('a website that is wanted again before its following ends is still followed', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  const webhooks = sender.service(WebhooksService);
  await webhooks.update(1, webhookId, { enabled: 0 });
  const followed = sender.service(FollowedRepository);
  const findUnwanted = followed.findUnwanted.bind(followed);
  const found = jest.spyOn(followed, 'findUnwanted').mockImplementation(async () => {
    const ids = await findUnwanted();
    await webhooks.update(1, webhookId, { enabled: 1 });
    await one.count(websiteId, [signup('a')]);
    return ids;
  });
  await read();
  expect(await found.mock.results[0]!.value).toContain(websiteId);
  found.mockRestore();
  await read();
  expect(await reached()).toEqual({ Signup: 1 });
});

if (engine === 'server')
  it('a website whose following ends at the moment of a new webhook is followed anew', async () => {
    await sender.goal(websiteId, 'Signup', SIGNUP);
    await read();
    const webhooks = sender.service(WebhooksService);
    await webhooks.update(1, webhookId, { enabled: 0 });
    let enabling: Promise<unknown> | undefined;
    await sender.database.write(async (manager) => {
      await unfollow(manager, websiteId);
      enabling = webhooks.update(1, webhookId, { enabled: 1 });
      await untilLocksAreAwaited(fresh.url, FOLLOW);
    }, PATIENCE_MS);
    await enabling;
    await one.count(websiteId, [signup('a')]);
    await read();
    expect(await reached()).toEqual({ Signup: 1 });
  });

it('a cursor is moved by one reader, while the website is followed', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await one.count(websiteId, [signup('a')]);
  const { cursor } = (await readFollowed(one.database, websiteId))!;
  const wanted = { ownerId: 1, websiteId, since: cursor, readAt: now + 1, maxHits: 1, goals: [SIGNUP] };
  const found = await sender.service(ConversionsService).read(wanted as never);
  const move = (before: string) =>
    one.database.write((manager) => moveCursor(manager, websiteId, before, found.cursor));
  expect([await move(cursor), await move(cursor)]).toEqual([true, false]);
  expect((await readFollowed(one.database, websiteId))!.readAt).toBe(now + 1);
  await one.database.write((manager) => unfollow(manager, websiteId));
  expect(await move(found.cursor)).toBe(false);
});

it('is at most one delivery a minute', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await one.count(websiteId, [view('/', 'a')]);
  await read();
  for (let second = 0; second < 5; second++) {
    await one.count(websiteId, [signup('a')]);
    await sender.read(now + 1000 * second);
  }
  expect(await bodies()).toEqual([]);
  await read();
  expect((await bodies()).map(({ goals }) => goals[0].conversions)).toEqual([5]);
});

it('are looked for though a clock that was ahead left the last reading in the future', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await one.execute(setReadAt(websiteId, now + 400 * 24 * HOUR_MS));
  await one.count(websiteId, [signup('a')]);
  await read();
  const [body] = await bodies();
  expect(body).toMatchObject({ goals: [{ conversions: 1 }] });
  expect(Date.parse(body.from)).toBeLessThan(Date.parse(body.to));
  expect(Date.parse(body.to)).toBeLessThan(now + MINUTE_MS);
  await one.count(websiteId, [signup('b')]);
  await read();
  expect(await reached()).toEqual({ Signup: 2 });
});

it('of the parts before one that fails are delivered, and the rest is looked through later', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await one.count(websiteId, [on(DAY, signup('a')), signup('b')]);
  const conversions = sender.service(ConversionsService);
  const readPart = conversions.read.bind(conversions);
  const parts = jest
    .spyOn(conversions, 'read')
    .mockImplementationOnce((wanted) => readPart({ ...wanted, maxHits: 1 }))
    .mockRejectedValueOnce(new Error('no memory is left'));
  await read();
  expect(await reached()).toEqual({ Signup: 1 });
  expect(sender.logs.join()).toContain(`some new hits of website ${websiteId}`);
  await read();
  expect([parts.mock.calls.length, await reached()]).toEqual([3, { Signup: 2 }]);
  parts.mockRestore();
});

it('are read as a caller of its own for each owner, and wait no longer each time the service is busy', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await one.count(websiteId, [signup('a')]);
  const scans = jest.spyOn((sender.service(HitStore) as ColumnStore).threads, 'scan');
  for (let time = 0; time < 3; time++) {
    scans.mockRejectedValueOnce(new Overloaded());
    await read();
    now += MINUTE_MS;
  }
  expect(sender.logs.join()).not.toContain('again in 5 minutes');
  await read();
  expect(await reached()).toEqual({ Signup: 1 });
  expect(scans.mock.calls.map(([, , { owner, isAnonymous }]) => [owner, isAnonymous])).toEqual(
    Array(4).fill(['conversions of 1', true]),
  );
  scans.mockRestore();
});

it('are looked for after a pause of 20 times what the last reading took', async () => {
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await one.count(websiteId, [signup('a')]);
  const conversions = sender.service(ConversionsService);
  const readPart = conversions.read.bind(conversions);
  const slow = jest.spyOn(conversions, 'read').mockImplementationOnce((wanted) => {
    passTime(10_000);
    return readPart(wanted);
  });
  await read();
  slow.mockRestore();
  await one.count(websiteId, [signup('b')]);
  now += 10_000 + 2 * MINUTE_MS;
  await read();
  expect(await reached()).toEqual({ Signup: 1 });
  now += 2 * MINUTE_MS;
  await read();
  expect(await reached()).toEqual({ Signup: 2 });
});

describe('of an owner with much to look through', () => {
  const FIRST = 10_000;
  let hookOfOther: number;
  const add = async (count: number): Promise<number[]> => {
    const ids = Array.from({ length: count }, (_, index) => FIRST + index);
    for (const id of ids) {
      await one.register(id);
      await sender.goal(id, 'Signup', SIGNUP);
    }
    await one.database.write(async (manager) => {
      for (const id of ids) await unfollow(manager, id);
    });
    return ids;
  };
  const giveToOther = (id: number) => one.execute('UPDATE websites SET user_id = 2 WHERE id = ?', [id]);
  /** The order in which websites are read. */
  const whileReading = (hook: (id: number, read: () => Promise<void>) => Promise<void>): number[] => {
    const order: number[] = [];
    const reader = sender.service(ConversionReader);
    const read = reader.read.bind(reader);
    jest.spyOn(reader, 'read').mockImplementation((lease, website, at) => {
      order.push(website.id);
      return hook(website.id, () => read(lease, website, at));
    });
    return order;
  };
  beforeEach(async () => {
    ({ id: hookOfOther } = await sender.webhook('http://127.0.0.1:1/', { events: ['goal.reached'] }, 2));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const [table, column] of [
      ['goals', 'website_id'],
      ['websites', 'id'],
    ])
      await one.execute(`DELETE FROM ${table} WHERE ${column} >= ?`, [FIRST]);
    await sender.service(WebhooksService).delete(2, hookOfOther);
    await read();
  });

  it('are followed at once with a new webhook, 50 of them, and the others by the next reading', async () => {
    await add(52);
    const { id } = await sender.webhook('http://127.0.0.1:1/', { events: ['goal.reached'] });
    expect(await followed(FIRST)).toHaveLength(50);
    await read();
    expect(await followed(FIRST)).toHaveLength(52);
    await sender.service(WebhooksService).delete(1, id);
  });

  it('do not wait behind all of their websites', async () => {
    const ids = await add(206);
    await giveToOther(ids.at(-1)!);
    const order = whileReading(() => Promise.resolve());
    await read();
    expect(order.length).toBeGreaterThan(150);
    expect(order.indexOf(ids.at(-1)!)).toBeLessThan(4);
  });

  it('are looked for until all readings have ended, also if the database is away for one', async () => {
    const [away] = await add(2);
    const ended: string[] = [];
    whileReading(async (id) => {
      if (id === away) throw new DatabaseUnavailable(new Error('away'));
      for (let query = 0; query < 20; query++) await one.database.query('SELECT 1');
      ended.push('reading');
    });
    await read().catch(() => ended.push('run'));
    expect(ended).toEqual(['reading', 'run']);
  });

  it('are looked for in between, after ten seconds', async () => {
    const ids = await add(7);
    const other = ids.at(-1)!;
    await one.execute('DELETE FROM goals WHERE website_id = ?', [other]);
    await giveToOther(other);
    const addGoal = () =>
      one.execute(
        `INSERT INTO goals (website_id, name, filters, created_at, updated_at) VALUES (?, 'Signup', ?, 0, 0)`,
        [other, JSON.stringify(SIGNUP)],
      );
    let adding: Promise<unknown> | undefined;
    const order = whileReading(async () => {
      if (order.length > ids.length) throw new DatabaseUnavailable(new Error('away'));
      adding ??= addGoal();
      await adding;
      // No statement is under way, whose patience would end by that.
      if (order.length <= 2) passTime(6000);
    });
    await read().catch(() => undefined);
    expect(order.slice(0, 5)).toContain(other);
  });
});

it('goes to the owner alone, and to those webhooks that have the event', async () => {
  const other = await sender.webhook('http://127.0.0.1:1/', { events: ['goal.reached'] }, 2);
  const alerts = await sender.webhook('http://127.0.0.1:1/', { events: ['alert', 'report'] });
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await one.count(websiteId, [signup('a')]);
  await read();
  expect(await reached()).toEqual({ Signup: 1 });
  expect([await sender.deliveries(other.id, 2), await sender.deliveries(alerts.id)]).toEqual([[], []]);
});

describe('a goal that depends on other hits of a visitor', () => {
  it.each([
    [
      'where they came from',
      [
        ['is', 'referrer', ['news.example']],
        ['is', 'event', ['signup']],
      ],
    ],
    [
      'what they did',
      [
        ['has_done', ['is', 'page', ['/pricing']]],
        ['is', 'event', ['signup']],
      ],
    ],
    [
      'where their visit began',
      [
        ['is', 'entry_page', ['/pricing']],
        ['is', 'event', ['signup']],
      ],
    ],
  ])('sees those of earlier readings: %s', async (_, filters) => {
    await sender.goal(websiteId, 'Signup', filters);
    await read();
    await one.count(websiteId, [view('/pricing', 'a', { referrer: 'news.example' }), view('/', 'b')]);
    await read();
    expect(await bodies()).toEqual([]);
    const later = 86_400 * TODAY + 60;
    await one.count(websiteId, [signup('a', { at: later }), signup('b', { at: later })]);
    await read();
    await one.count(websiteId, [signup('b', { at: later + 1 })]);
    await read();
    expect(await reached()).toEqual({ Signup: 1 });
  });

  it('counts late hits of a sealed day once', async () => {
    await sender.goal(websiteId, 'Signup', [['has_done', ['is', 'page', ['/pricing']]], ...SIGNUP]);
    await read();
    await one.count(
      websiteId,
      [view('/pricing', 'a'), view('/', 'b')].map((hit) => on(DAY, hit)),
    );
    await read();
    await one.workOnColumns(websiteId, { ...daysOver(DAY + 1), before: 0 });
    await one.count(
      websiteId,
      [signup('a'), signup('b'), signup('n')].map((hit) => on(DAY, hit)),
    );
    await read();
    await read();
    expect(await reached()).toEqual({ Signup: 1 });
  });
});

describe('a day', () => {
  const isSealed = async () => (await readDay(one.database, websiteId, DAY)).columns !== undefined;
  const over = { ...daysOver(DAY + 1), before: 0 };
  beforeEach(async () => {
    await sender.goal(websiteId, 'Signup', SIGNUP);
    await read();
    await one.count(websiteId, [on(DAY, signup('a'))]);
  });

  it('is not sealed before its hits are read, alone or with others', async () => {
    await one.workOnColumns(websiteId, over);
    expect(await smallDaySealing(one).seal([websiteId], over)).toEqual([websiteId]);
    expect(await isSealed()).toBe(false);
    await read();
    await smallDaySealing(one).seal([websiteId], over);
    await one.workOnColumns(websiteId, over);
    expect(await isSealed()).toBe(true);
    await read();
    expect(await reached()).toEqual({ Signup: 1 });
  });

  it('waits for its reader for an hour; then the rest is not read, and the log says so', async () => {
    await one.workOnColumns(websiteId, over);
    await one.workOnColumns(websiteId, { ...over, now: over.now + HOUR_MS - 1 });
    expect(await isSealed()).toBe(false);
    await one.workOnColumns(websiteId, { ...over, now: over.now + HOUR_MS });
    expect(await isSealed()).toBe(true);
    await one.count(websiteId, [on(DAY, signup('b')), signup('c')]);
    await read();
    expect(await reached()).toEqual({ Signup: 2 });
    expect(sender.logs.join()).toContain(`1 hits of website ${websiteId} were not looked through`);
  });

  it('waits for no more than an hour for a reader that comes, but does not keep up', async () => {
    const conversions = sender.service(ConversionsService);
    const readPart = conversions.read.bind(conversions);
    await one.count(websiteId, [on(DAY - 1, view('/', 'a'))]);
    await one.workOnColumns(websiteId, over);
    const parts = jest
      .spyOn(conversions, 'read')
      .mockImplementationOnce((wanted) => readPart({ ...wanted, maxHits: 1 }))
      .mockRejectedValueOnce(new Error('no memory is left'));
    await read();
    parts.mockRestore();
    await one.workOnColumns(websiteId, { ...over, now: over.now + HOUR_MS });
    expect(await isSealed()).toBe(true);
  });

  it('waits for an hour though its hold seems to begin later, by a clock that was ahead', async () => {
    await one.execute(setHeldAt(websiteId, over.now + 400 * 24 * HOUR_MS));
    await one.workOnColumns(websiteId, over);
    expect(await isSealed()).toBe(false);
    await one.workOnColumns(websiteId, { ...over, now: over.now + HOUR_MS });
    expect(await isSealed()).toBe(true);
  });

  it('that was sealed has late hits, which count once, however often it is sealed again', async () => {
    await read();
    await one.workOnColumns(websiteId, over);
    for (const visitor of ['b', 'c']) {
      await one.count(websiteId, [on(DAY, signup(visitor)), on(DAY, view('/', visitor))]);
      await one.workOnColumns(websiteId, over);
      await read();
      await one.workOnColumns(websiteId, { ...over, before: DAY + 1 });
    }
    await read();
    expect(await reached()).toEqual({ Signup: 3 });
    expect(sender.logs.join()).not.toContain('not looked through');
  });
});

it('a body has at most 64 KiB, and then shows fewer hits of each goal', async () => {
  for (let goal = 0; goal < 40; goal++)
    await sender.goal(websiteId, `${goal} ${'🙂'.repeat(90)}`, [['starts', 'page', ['/']]]);
  await read();
  await one.count(
    websiteId,
    Array.from({ length: 30 }, (_, index) => view(`/${index}/${'x'.repeat(3000)}`, 'a')),
  );
  await read();
  const [delivery] = await sender.deliveries(webhookId);
  const { body } = await sender.delivery(webhookId, Number(delivery!.id));
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64 * 1024);
  const { goals } = JSON.parse(body) as { goals: any[] };
  expect(goals.map(({ conversions }) => conversions)).toEqual(Array(40).fill(30));
});

it('two processes add one delivery', async () => {
  const other = await startSender({ DATABASE_URL: fresh.url });
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  for (let round = 1; round <= 5; round++) {
    await one.count(websiteId, [signup('a')]);
    now += MINUTE_MS + 1000;
    const [first, second] = [sender.read(now), endLeases(sender).then(() => other.read(now))];
    await Promise.all([first, second]);
    await endLeases(sender);
  }
  await read();
  await other.stop();
  expect(await reached()).toEqual({ Signup: 5 });
});

it('are posted to an endpoint while the service runs by itself', async () => {
  const endpoint = await Endpoint.start();
  await sender.service(WebhooksService).update(1, webhookId, { url: endpoint.url });
  await sender.goal(websiteId, 'Signup', SIGNUP);
  await read();
  await one.count(websiteId, [signup('a')]);
  await read();
  await sender.send(now + MINUTE_MS);
  endpoint.close();
  expect(endpoint.bodies()).toMatchObject([
    { event: 'goal.reached', goals: [{ name: 'Signup', conversions: 1 }] },
  ]);
});
