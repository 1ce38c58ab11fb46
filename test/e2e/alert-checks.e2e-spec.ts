import { AlertCounts } from '../../src/alerts/check/alert-counts';
import { ExclusionsService } from '../../src/exclusions/exclusions.service';
import { Problem, QuestionTooLong } from '../../engine/ground/errors';
import { QueriesService } from '../../src/stats/queries/queries.service';
import { type Alerter, DAY_MS, HOUR_MS, hourAgo, startAlerter } from '../support/alerts';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { passTime } from '../support/passing-time';
import type { Site } from '../support/sending';
import { exclude } from '../support/website-resources';
import { addUnreadable, keepHitsFrom, REMOVE_UNREADABLE } from '../support/store-hooks';

const MINUTE_MS = 60_000;
/** The checks are of this moment and later, so that everything is counted by then. */
const NOON = hourAgo(40);

let fresh: FreshDatabase;
let alerter: Alerter;
let site: Site;
beforeAll(async () => {
  fresh = await freshDatabase();
  alerter = await startAlerter({ DATABASE_URL: fresh.url });
});
beforeEach(async () => {
  await alerter.database.execute('UPDATE alerts SET enabled = 0', []);
  site = await alerter.website();
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await alerter.stop();
  await fresh.drop();
});

const at = (hours: number, minutes = 0) => NOON + hours * HOUR_MS + minutes * MINUTE_MS;
const iso = (moment: number) => new Date(moment).toISOString();
const windowsOf = async (id: number, of = site) =>
  (await alerter.firings(of, id)).map(({ from, value, usual }) => [
    (Date.parse(from) - NOON) / HOUR_MS,
    value,
    usual,
  ]);

type Count = AlertCounts['count'];

/** Does something around each count. */
function whileCounting(hook: (count: () => ReturnType<Count>, websiteId: number) => ReturnType<Count>) {
  const { value } = Object.getOwnPropertyDescriptor(AlertCounts.prototype, 'count')!;
  const count = value as Count;
  return jest.spyOn(AlertCounts.prototype, 'count').mockImplementation(function (
    this: AlertCounts,
    ...asked
  ) {
    return hook(() => count.apply(this, asked), asked[0].websiteId);
  });
}

it('fires above once the running hour has passed the number, and once for it', async () => {
  const id = await alerter.alert(site, { condition: 'above', threshold: 4, quiet_hours: 1 }, at(0));
  await alerter.hits(site, at(0, 5), 4);
  await alerter.check(at(0, 10));
  expect(await alerter.firings(site, id)).toEqual([]);
  await alerter.hits(site, at(0, 11), 1);
  await alerter.check(at(0, 12));
  await alerter.check(at(0, 13));
  const [firing, ...others] = await alerter.firings(site, id);
  expect(others).toEqual([]);
  expect(firing).toMatchObject({
    ...{ from: iso(at(0)), to: iso(at(1)), value: 5, usual: null, threshold: 4 },
    ...{ mails: 0, webhooks: 0 },
  });
  expect(await alerter.view(site, id)).toMatchObject({ fired_value: 5, fired_at: firing!.at, error: null });
});

it('leaves out what is excluded from its next check, and counts it again once that is undone', async () => {
  const rule = { condition: 'above', threshold: 4, quiet_hours: 1 } as const;
  const id = await alerter.alert(site, rule, at(0));
  const undo = await exclude(alerter.service(ExclusionsService), site.id, [['is', 'page', ['/load']]]);
  await alerter.hits(site, at(0, 5), 30, { page: '/load' });
  await alerter.hits(site, at(0, 6), 4);
  await alerter.check(at(0, 10));
  await alerter.check(at(1, 1));
  expect(await windowsOf(id)).toEqual([]);
  await alerter.hits(site, at(1, 5), 5, { page: '/load' });
  await alerter.check(at(1, 10));
  expect(await windowsOf(id)).toEqual([]);
  await undo();
  await alerter.hits(site, at(1, 11), 1);
  await alerter.check(at(1, 12));
  expect(await windowsOf(id)).toEqual([[1, 6, null]]);
});

it('looks at what came within the last minute of an hour', async () => {
  const id = await alerter.alert(site, { condition: 'above', threshold: 2 }, at(0));
  await alerter.check(at(0, 59));
  await alerter.hits(site, at(0, 59) + 30_000, 3);
  await alerter.check(at(1, 1));
  expect(await windowsOf(id)).toEqual([[0, 3, null]]);
});

it('asks no query for a running hour without new hits', async () => {
  const counts = jest.spyOn(AlertCounts.prototype, 'count');
  await alerter.alert(site, { condition: 'above', threshold: 4 }, at(0));
  await alerter.hits(site, at(0, 1), 1);
  for (const minute of [2, 4, 6, 8]) await alerter.check(at(0, minute));
  expect(counts).toHaveBeenCalledTimes(1);
  await alerter.hits(site, at(0, 9), 1);
  await alerter.check(at(0, 10));
  expect(counts).toHaveBeenCalledTimes(2);
  await alerter.check(at(1, 1));
  expect(counts).toHaveBeenCalledTimes(3);
});

it('fires below after the hour, beginning with the next one', async () => {
  const id = await alerter.alert(site, { condition: 'below', threshold: 3, quiet_hours: 1 }, at(0, 10));
  await alerter.hits(site, at(1, 5), 3);
  await alerter.hits(site, at(2, 5), 2);
  for (const hours of [1, 2, 3]) {
    await alerter.check(at(hours));
    await alerter.check(at(hours, 30));
  }
  expect(await windowsOf(id)).toEqual([[2, 2, null]]);
});

it('compares an hour with the same one in four weeks', async () => {
  const rises = await alerter.alert(site, { condition: 'rises', threshold: 100 }, at(0));
  const falls = await alerter.alert(site, { condition: 'falls', threshold: 50 }, at(0));
  const counts = [10, 20, 30, 1000];
  await alerter.hits(site, at(0) - 30 * DAY_MS, 1);
  for (const [week, count] of counts.entries())
    await alerter.hits(site, at(0, 20) - (week + 1) * 7 * DAY_MS, count);
  for (const [week] of counts.entries()) await alerter.hits(site, at(1, 20) - (week + 1) * 7 * DAY_MS, 4);
  await alerter.hits(site, at(0, 20), 50);
  await alerter.hits(site, at(1, 20), 2);
  await alerter.check(at(1, 1));
  await alerter.check(at(2, 1));
  expect([await windowsOf(rises), await windowsOf(falls)]).toEqual([[[0, 50, 25]], [[1, 2, 4]]]);
  expect(await alerter.firings(site, rises)).toMatchObject([{ usual: 25, threshold: 100 }]);
});

describe('rises, in the third week of a website,', () => {
  const inWeeks = async (...counts: number[]) => {
    for (const [week, count] of counts.entries())
      await alerter.hits(site, at(0, 20) - week * 7 * DAY_MS, count);
  };
  beforeEach(() => alerter.hits(site, at(0, 20) - 15 * DAY_MS, 1));

  it('compares with no hour from before the website', async () => {
    const steep = await alerter.alert(site, { condition: 'rises', threshold: 150 }, at(0));
    const flat = await alerter.alert(site, { condition: 'rises', threshold: 50 }, at(0));
    await inWeeks(20, 10, 10);
    await alerter.check(at(1, 1));
    expect([await windowsOf(steep), await windowsOf(flat)]).toEqual([[], [[0, 20, 10]]]);
  });

  it('does not compare with one hour alone, or with hours whose hits were removed', async () => {
    const id = await alerter.alert(site, { condition: 'rises', threshold: 50 }, at(0));
    await inWeeks(20, 10, 10);
    await alerter.database.execute(keepHitsFrom(site.id, Math.floor(at(0) / DAY_MS) - 13), []);
    await alerter.check(at(1, 1));
    expect(await windowsOf(id)).toEqual([]);
  });
});

it('does not compare with nothing', async () => {
  const id = await alerter.alert(site, { condition: 'rises', threshold: 1 }, at(0));
  await alerter.hits(site, at(0, 20), 50);
  await alerter.check(at(1, 1));
  expect(await windowsOf(id)).toEqual([]);
});

it('is quiet as long as it says, and then again', async () => {
  const id = await alerter.alert(site, { condition: 'below', threshold: 1, quiet_hours: 3 }, at(0));
  for (let hours = 1; hours < 9; hours++) await alerter.check(at(hours, hours));
  expect((await windowsOf(id)).map(([hour]) => hour)).toEqual([6, 3, 0]);
});

it('is looked at once a day while it is quiet for long', async () => {
  const id = await alerter.alert(site, { condition: 'below', threshold: 1, quiet_hours: 720 }, at(0));
  for (const minute of [1, 61]) await alerter.check(at(1, minute));
  const [{ due_at }] = await alerter.database.query<[{ due_at: number | string }]>(
    'SELECT due_at FROM alerts WHERE id = ?',
    [id],
  );
  expect(await windowsOf(id)).toHaveLength(1);
  expect(Math.floor((Number(due_at) - at(2, 1)) / MINUTE_MS)).toBe(24 * 60);
});

it.each([
  [['due_at']],
  [['judged_until']],
  [['fired_at']],
  [['starts_at']],
  [['starts_at', 'judged_start', 'judged_until', 'due_at', 'window_ends_at', 'fired_at', 'updated_at']],
])('fires though a clock that was ahead left %p in the future', async (columns) => {
  const id = await alerter.alert(site, { condition: 'below', threshold: 1, quiet_hours: 1 }, at(0));
  await alerter.check(at(1, 1));
  await alerter.database.execute(
    `UPDATE alerts SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
    [...columns.map(() => at(0) + 400 * DAY_MS), id],
  );
  await alerter.check(at(4, 1));
  expect(await windowsOf(id)).toEqual([
    [3, 0, null],
    [0, 0, null],
  ]);
});

it('fires in silence once, until something comes again', async () => {
  const id = await alerter.alert(site, { condition: 'silent', metric: 'events' }, at(0));
  await alerter.check(at(0, 5));
  expect(await windowsOf(id)).toEqual([]);
  await alerter.hits(site, at(0, 20), 1);
  for (const hours of [1, 13, 24, 25, 26]) await alerter.check(at(hours, 1));
  expect(await windowsOf(id)).toEqual([[1, 0, null]]);
  await alerter.hits(site, at(26, 20), 1);
  await alerter.check(at(27, 1));
  expect(await windowsOf(id)).toHaveLength(1);
  expect(await alerter.view(site, id)).toMatchObject({ metric: 'events', threshold: null, within: null });
});

it('counts what its filters select, goals and saved filters included', async () => {
  await alerter.database.execute(
    `INSERT INTO goals (website_id, name, filters, created_at, updated_at) VALUES (?, 'Thanks', ?, 0, 0)`,
    [site.id, JSON.stringify([['is', 'page', ['/thanks']]])],
  );
  const filters = [['is', 'goal', ['Thanks']]] as never;
  const id = await alerter.alert(
    site,
    { condition: 'above', threshold: 1, metric: 'conversions', filters },
    at(0),
  );
  await alerter.hits(site, at(0, 1), 9);
  await alerter.hits(site, at(0, 1), 2, { page: '/thanks' });
  await alerter.check(at(0, 5));
  expect(await windowsOf(id)).toEqual([[0, 2, null]]);
});

it('waits until the events of the window are counted', async () => {
  const id = await alerter.alert(site, { condition: 'below', threshold: 1 }, at(0));
  await alerter.database.execute(addUnreadable(site.id, at(0, 30)), []);
  await alerter.check(at(1, 1));
  expect(await windowsOf(id)).toEqual([]);
  await alerter.database.execute(REMOVE_UNREADABLE, []);
  await alerter.check(at(1, 3));
  expect(await windowsOf(id)).toEqual([[0, 0, null]]);
});

it('states why it could not be checked, waits longer each time, and delays no other website', async () => {
  const other = await alerter.website();
  const damaged = new Problem('damaged_columns', 'A column is damaged.');
  const counts = whileCounting((count, id) => (id === site.id ? Promise.reject(damaged) : count()));
  const failing = await alerter.alert(site, { condition: 'above', threshold: 1 }, at(0));
  const beside = await alerter.alert(site, { condition: 'above', threshold: 1 }, at(0));
  const fine = await alerter.alert(other, { condition: 'above', threshold: 1 }, at(0));
  await alerter.hits(other, at(0, 1), 2);
  await alerter.check(at(0, 2));
  expect(await windowsOf(fine, other)).toEqual([[0, 2, null]]);
  expect((await alerter.view(site, failing)).error).toBe('A column is damaged.');
  expect((await alerter.view(site, beside)).error).toBeNull();
  expect(counts.mock.calls.filter(([{ websiteId }]) => websiteId === site.id)).toHaveLength(1);
  counts.mockRestore();
  await alerter.hits(site, at(0, 3), 2);
  await alerter.check(at(0, 4));
  expect(await alerter.view(site, failing)).toMatchObject({ error: null, fired_value: 2 });
});

it('lets owners and their websites take turns', async () => {
  const [many, few] = [await alerter.user('many@example.com'), await alerter.user('few@example.com')];
  const sites = [await alerter.website(many), await alerter.website(many)];
  const order: number[] = [];
  for (let number = 0; number < 8; number++)
    for (const one of sites) await alerter.alert(one, { condition: 'below', threshold: 1 }, at(0), many);
  const last = await alerter.website(few);
  await alerter.alert(last, { condition: 'below', threshold: 1 }, at(0, 0), few);
  whileCounting((count, id) => {
    order.push(id);
    return count();
  });
  await alerter.check(at(1, 1));
  expect(order).toHaveLength(17);
  expect(order.indexOf(last.id)).toBeLessThan(2);
  expect(order.slice(0, 4).filter((id) => id === sites[0]!.id).length).toBeLessThan(3);
});

it('counts for each owner as a caller of its own', async () => {
  const stranger = await alerter.user('stranger@example.com');
  const strange = await alerter.website(stranger);
  const asked = jest.spyOn(QueriesService.prototype, 'query');
  await alerter.alert(site, { condition: 'below', threshold: 1 }, at(0));
  await alerter.alert(strange, { condition: 'below', threshold: 1 }, at(0), stranger);
  await alerter.check(at(1, 1));
  expect(asked.mock.calls.map(([, websiteId, , { owner }]) => [websiteId, owner])).toEqual([
    [site.id, 'alerts of 1'],
    [strange.id, `alerts of ${stranger}`],
  ]);
});

it('states that its query takes too long, and waits longer each time', async () => {
  const id = await alerter.alert(site, { condition: 'above', threshold: 1 }, at(0));
  whileCounting(() => Promise.reject(new QuestionTooLong('')));
  const dueAfter = async (now: number) => {
    await alerter.check(now);
    const [{ due_at }] = await alerter.database.query<[{ due_at: number | string }]>(
      'SELECT due_at FROM alerts WHERE id = ?',
      [id],
    );
    return Number(due_at) - now;
  };
  const pauses = [await dueAfter(at(0, 1)), await dueAfter(at(0, 10)), await dueAfter(at(0, 30))];
  const minutes = pauses.map((pauseMs) => Math.floor(pauseMs / MINUTE_MS));
  expect(minutes).toEqual([1, 2, 4]);
  expect((await alerter.view(site, id)).error).toContain('takes too long');
});

describe('a round', () => {
  interface Of {
    owner: number;
    site: Site;
  }
  const ownerOf = async (email: string): Promise<Of> => {
    const owner = await alerter.user(email);
    return { owner, site: await alerter.website(owner) };
  };
  const due = async ({ owner, site: of }: Of, count = 1) => {
    for (let number = 0; number < count; number++)
      await alerter.alert(of, { condition: 'below', threshold: 1 }, at(0), owner);
  };
  /** The order in which websites are checked, where checks of some take long, and one has an alert late. */
  const orderOf = async (slow: Of[], slowMs: number, late: Of): Promise<number[]> => {
    const order: number[] = [];
    whileCounting(async (count, id) => {
      const counted = await count();
      if (order.push(id) === 1) await due(late);
      if (slow.some((one) => one.site.id === id)) passTime(slowMs);
      return counted;
    });
    await alerter.check(at(1, 1));
    return order;
  };

  it('spends ten seconds on an owner before others go on', async () => {
    const [slow, quick] = [await ownerOf('slow@example.com'), await ownerOf('quick@example.com')];
    const late = await ownerOf('late@example.com');
    await due(slow, 5);
    await due(quick, 4);
    const [s, q, l] = [slow.site.id, quick.site.id, late.site.id];
    expect(await orderOf([slow], 6000, late)).toEqual([s, q, s, q, q, q, l, s, s, s]);
  });

  it('ends after a minute, once it has checked an alert of everybody', async () => {
    const owners: Of[] = [];
    for (let number = 0; number < 8; number++) owners.push(await ownerOf(`owner${number}@example.com`));
    const late = await ownerOf('later@example.com');
    for (const owner of owners) await due(owner, 2);
    const ids = owners.map((one) => one.site.id);
    expect(await orderOf(owners, 9000, late)).toEqual([...ids, late.site.id, ...ids]);
  });
});

it('fires once where another process took over during the check, and leaves nothing half done', async () => {
  const other = await startAlerter({ DATABASE_URL: fresh.url });
  try {
    const id = await alerter.alert(site, { condition: 'above', threshold: 1 }, at(0));
    await alerter.hits(site, at(0, 1), 2);
    let isStalled = false;
    whileCounting(async (count) => {
      const counted = await count();
      if (isStalled) return counted;
      isStalled = true;
      await alerter.database.execute("UPDATE leases SET expires_at = 0 WHERE name = 'alerts'", []);
      await other.check(at(0, 2));
      return counted;
    });
    await expect(alerter.check(at(0, 2))).rejects.toThrow('lease alerts');
    expect(await windowsOf(id)).toEqual([[0, 2, null]]);
    await alerter.database.execute("UPDATE leases SET expires_at = 0 WHERE name = 'alerts'", []);
    await alerter.check(at(0, 4));
    expect(await windowsOf(id)).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

it('does not fire by what its owner changed during the check', async () => {
  const id = await alerter.alert(site, { condition: 'above', threshold: 1 }, at(0));
  await alerter.hits(site, at(0, 1), 2);
  whileCounting(async (count) => {
    await alerter.database.execute('UPDATE alerts SET updated_at = updated_at + 1 WHERE id = ?', [id]);
    return count();
  });
  await alerter.check(at(0, 2));
  expect(await windowsOf(id)).toEqual([]);
});

it('adds one delivery to each webhook with the event', async () => {
  const webhook = (events: string, enabled = 1) =>
    alerter.database.execute(
      `INSERT INTO webhooks (user_id, url, events, enabled, generation, due_at, served_at, is_slow, created_at, updated_at)
      VALUES (1, 'https://hooks.example.com/', ?, ?, 1, NULL, 0, 0, 0, 0)`,
      [events, enabled],
    );
  await webhook('alert,report');
  await webhook('report');
  await webhook('alert', 0);
  const id = await alerter.alert(site, { name: 'Busy', condition: 'above', threshold: 1 }, at(0));
  const silenced = await alerter.alert(site, { condition: 'above', threshold: 1, webhook: 0 }, at(0));
  await alerter.hits(site, at(0, 1), 2);
  await alerter.check(at(0, 2));
  const [firing] = await alerter.firings(site, id);
  expect(firing).toMatchObject({ webhooks: 1 });
  expect((await alerter.firings(site, silenced))[0]).toMatchObject({ webhooks: 0 });
  const rows = await alerter.database.query<{ body: string; occasion: string }[]>(
    'SELECT body, occasion FROM webhook_deliveries WHERE website_id = ?',
    [site.id],
  );
  expect(rows.map(({ body }) => JSON.parse(body))).toEqual([
    expect.objectContaining({
      event: 'alert',
      website: { id: site.id, domain: site.domain },
      alert: { id, name: 'Busy', metric: 'pageviews', condition: 'above', threshold: 1, within: 'hour' },
      ...{ value: 2, usual: null, from: iso(at(0)), to: iso(at(1)) },
    }),
  ]);
  await alerter.database.execute('DELETE FROM webhooks', []);
});
