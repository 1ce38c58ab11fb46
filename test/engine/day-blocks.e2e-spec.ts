import { DAY_MS } from '../../engine/ground/time/days';
import { Settings } from '../../src/config/settings';
import type { DaysToClose } from '../../engine/columns/upkeep/next-column-work';
import { connect } from '../../src/database/connect';
import { ReadMemory } from '../../engine/ground/memory/read-memory';
import { EntityDatabase } from '../../src/database/entity-database';
import { AddDayBlocks1797930000000 } from '../../src/database/migrations/1797930000000-add-day-blocks';
import { AddPageFilters1797950000000 } from '../../src/database/migrations/1797950000000-add-page-filters';
import { PageFilters } from '../../src/goals/page-filters';
import type { Asker } from '../../engine/questions/asker';
import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import { Funnel } from '../../src/goals/funnels/funnel.entity';
import { Goal } from '../../src/goals/goals/goal.entity';
import { GoalsRepository } from '../../src/goals/goals/goals.repository';
import { SavedFilter } from '../../src/goals/saved-filters/saved-filter.entity';
import { SavedFiltersRepository } from '../../src/goals/saved-filters/saved-filters.repository';
import { RETENTION_RULES } from '../../src/retention-rules';
import { Housekeeping } from '../../src/retention/housekeeping';
import { RetentionClock } from '../../engine/database/retention-clock';
import { readBlocks, readDivision } from '../../engine/columns/day-blocks';
import { Website } from '../../src/websites/website.entity';
import { WebsitesRepository } from '../../src/websites/websites.repository';
import {
  CountingProcess,
  daysOver,
  pageViewOn,
  rolledUpBefore,
  smallDaySealing,
  TODAY,
} from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

const OWNER = 1;
const [PUBLIC, PRIVATE] = [0, 1] as const;
const FIRST = TODAY - 20;
/** Days whose late hits may still come. */
const SEALED: DaysToClose = { ...daysOver(TODAY), before: 0, finalBefore: 0 };
const FINAL: DaysToClose = { ...SEALED, finalBefore: TODAY };

let database: FreshDatabase;
let one: CountingProcess;
let entities: EntityDatabase;
let saved: SavedFiltersRepository;
let goals: GoalsRepository;
let websites: WebsitesRepository;
let site = 0;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  const { database: address } = new Settings({ DATABASE_URL: database.url });
  entities = await EntityDatabase.over(await connect(address, [Website, Goal, SavedFilter, Funnel]));
  saved = new SavedFiltersRepository(entities, one.store);
  goals = new GoalsRepository(entities, one.store);
  const repository = entities.writer.getRepository(Website);
  websites = new WebsitesRepository(entities, new ReadMemory(), one.store, repository);
});
beforeEach(async () => {
  await one.register(++site);
  await setPrivacy(PUBLIC);
});
afterAll(async () => {
  await entities.writer.destroy();
  await one.stop();
  await database.drop();
});

const setPrivacy = (privacy: 0 | 1) => websites.change(OWNER, site, (before) => ({ ...before, privacy }));

/** A page view of each of some visitors of a day, counted from the first day on. */
async function visit(visitors: Record<number, number>, page = '/', name = 'v'): Promise<void> {
  const hits = Object.entries(visitors).flatMap(([day, count]) =>
    Array.from({ length: count }, (_, index) => pageViewOn(FIRST + Number(day), page, `${name}${index}.`)),
  );
  await one.count(site, hits);
}

/** All due work, as a counting process does it. */
async function work(over = SEALED): Promise<void> {
  await one.makeDue(site);
  await one.workOnColumns(site, over);
}

/** The first day of the block and the recorded visitors of each day, counted from the first day on. */
async function division(of = site): Promise<Record<number, [block: number, visitors: number]>> {
  const days = await one.database.read((reader) => readDivision(reader, of));
  return Object.fromEntries(days.map(({ day, block, visitors }) => [day - FIRST, [block - FIRST, visitors]]));
}

async function dueAt(): Promise<number | null> {
  const [row] = await one.database.query<{ due_at: number | string | null }[]>(
    'SELECT due_at FROM closed_days WHERE website_id = ?',
    [site],
  );
  return row!.due_at === null ? null : Number(row!.due_at);
}

const storeShared = (filters: unknown[], shared: 0 | 1 = 1) =>
  saved.insert(OWNER, site, { name: `filter ${shared}`, filters: filters as SavedFilter['filters'], shared });

describe('sealed days', () => {
  it('of a shared website are divided, and later ones join its open block', async () => {
    await visit({ 0: 4, 1: 25, 2: 3 });
    await work();
    expect(await division()).toEqual({ 0: [0, 4], 1: [1, 25], 2: [0, 3] });
    await visit({ 3: 12, 5: 5, 6: 1 });
    await work();
    expect(await division()).toEqual({
      ...{ 0: [0, 4], 1: [1, 25], 2: [0, 3] },
      ...{ 3: [3, 12], 5: [0, 5], 6: [6, 1] },
    });
  });

  it('of a private website are not, and what was divided stays while it is private', async () => {
    await setPrivacy(PRIVATE);
    await visit({ 0: 4 });
    await work();
    expect(await division()).toEqual({});
    await setPrivacy(PUBLIC);
    expect(await dueAt()).toBe(0);
    await work();
    await setPrivacy(PRIVATE);
    await visit({ 1: 5 });
    await work();
    expect(await division()).toEqual({ 0: [0, 4] });
    await setPrivacy(PUBLIC);
    await work();
    expect(await division()).toEqual({ 0: [0, 4], 1: [0, 5] });
  });

  it('stay as they were divided, whatever comes late, and a day without hits is divided with its first', async () => {
    await visit({ 1: 4, 3: 4, 4: 10 });
    await work();
    await visit({ 0: 1, 1: 8, 2: 2, 4: 3 }, '/', 'late');
    await work(FINAL);
    expect(await division()).toEqual({ 0: [0, 1], 1: [0, 4], 2: [0, 2], 3: [0, 4], 4: [4, 10] });
  });

  it('are divided after they were sealed together with those of other websites', async () => {
    await visit({ 0: 4 });
    expect(await smallDaySealing(one).seal([site], SEALED)).toEqual([]);
    expect(await division()).toEqual({});
    expect(await dueAt()).toBeLessThanOrEqual(SEALED.now);
    await one.workOnColumns(site, SEALED);
    expect(await division()).toEqual({ 0: [0, 4] });
  });

  it('are counted by their rollups, also if their hits are gone', async () => {
    await setPrivacy(PRIVATE);
    await visit({ 0: 4, 1: 11 });
    await work(rolledUpBefore(TODAY));
    await one.execute('UPDATE counting SET archived_from = ? WHERE website_id = ?', [FIRST + 5, site]);
    await setPrivacy(PUBLIC);
    await work();
    expect(await division()).toEqual({ 0: [0, 4], 1: [1, 11] });
  });

  it('are divided in several transactions, and work that broke off is done again', async () => {
    await visit(Object.fromEntries(Array.from({ length: 20 }, (_, day) => [day, 1 + (day % 4)])));
    await one.makeDue(site);
    let next = await one.nextWork(site, SEALED);
    for (; next.work.days.length !== 20; next = await one.nextWork(site, SEALED))
      await next.work.run(next.turn);
    await next.work.run({ ...next.turn, write: () => Promise.resolve(false) });
    expect(await division()).toEqual({});
    await work();
    expect(Object.keys(await division())).toHaveLength(20);
  });

  it('lose their place with the statistics of old days, and a block that loses its first day is over', async () => {
    await visit({ 0: 4, 1: 12, 2: 3 });
    await work();
    const settings = new Settings({ STATS_DAYS: String(TODAY - FIRST - 1) });
    const clock = new RetentionClock(one.database, settings);
    await new Housekeeping(one.database, clock, RETENTION_RULES).tidy(TODAY * DAY_MS);
    expect(await division()).toEqual({ 1: [1, 12], 2: [0, 3] });
    await visit({ 3: 8 });
    await work({ ...SEALED, statsFrom: FIRST + 1 });
    expect(await division()).toEqual({ 1: [1, 12], 2: [0, 3], 3: [3, 8] });
  });
});

describe('the filter that limits the page', () => {
  const A = [['is', 'page', ['/a']]];

  it('selects the visitors, and days without any are divided once they can get none, or get some', async () => {
    await storeShared(A);
    await visit({ 0: 6, 1: 11, 2: 5 }, '/a');
    await visit({ 0: 9, 3: 20, 4: 2 }, '/b', 'other');
    await work();
    const first = { 0: [0, 6], 1: [1, 11], 2: [0, 5] };
    expect(await division()).toEqual(first);
    await visit({ 4: 3 }, '/a', 'late');
    await work(FINAL);
    expect(await division()).toEqual({ ...first, 3: [3, 0], 4: [4, 3] });
  });

  it('has the days divided anew where it changes, with what its goals stand for', async () => {
    await visit({ 0: 6, 1: 11 }, '/a');
    await visit({ 0: 12 }, '/b', 'other');
    await work();
    const whole = { 0: [0, 18], 1: [1, 11] };
    expect(await division()).toEqual(whole);
    const { id: goal } = await goals.insert(OWNER, site, {
      ...{ name: 'Reached', filters: A as Goal['filters'], value: null, currency: null },
    });
    const { id } = await storeShared([['is', 'goal', ['Reached']]], 0);
    expect(await division()).toEqual(whole);
    const share = (shared: 0 | 1) => saved.change(OWNER, site, id, (before) => ({ ...before, shared }));
    await share(1);
    expect([await division(), await dueAt()]).toEqual([{}, 0]);
    await work();
    expect(await division()).toEqual({ 0: [0, 6], 1: [1, 11] });
    await goals.change(OWNER, site, goal, (before) => ({ ...before, value: '5', currency: 'EUR' }));
    await saved.change(OWNER, site, id, (before) => ({ ...before, name: 'Other' }));
    expect(await division()).toEqual({ 0: [0, 6], 1: [1, 11] });
    const filters = [['is', 'page', ['/b']]] as Goal['filters'];
    await goals.change(OWNER, site, goal, (before) => ({ ...before, filters }));
    expect(await division()).toEqual({});
    await work();
    expect(await division()).toEqual({ 0: [0, 12] });
    await share(0);
    await work();
    expect(await division()).toEqual(whole);
  });

  it('may change while days are counted, which are then counted again', async () => {
    await visit({ 0: 6 }, '/a');
    await work();
    await visit({ 1: 3 }, '/a');
    await one.makeDue(site);
    let next = await one.nextWork(site, SEALED);
    for (; next.work.constructor.name !== 'DivisionWork'; next = await one.nextWork(site, SEALED))
      await next.work.run(next.turn);
    const { turn, work: late } = next;
    await storeShared([['is', 'page', ['/b']]]);
    // The same process goes on with a lease that it has taken again.
    const { lease } = (await one.folderOf(site))!;
    await late.run({ ...turn, write: one.turnOf(lease).write });
    expect(await division()).toEqual({});
    await work(FINAL);
    expect(await division()).toEqual({ 0: [0, 0], 1: [1, 0] });
  });
});

describe('the filter of a page that was limited before filters were written out', () => {
  const filters = [['is', 'page', ['/a']]] as ResolvedFilter[];
  const blocksFor = (pageFilters: ResolvedFilter[] | undefined) =>
    one.database.read((reader) =>
      readBlocks(reader, site, { pageFilters } as Asker, { from: FIRST, to: TODAY }),
    );

  it('keeps days from being divided and shown until a service starts, and changes no day', async () => {
    await visit({ 0: 11, 1: 3 }, '/a');
    await storeShared(filters);
    await work();
    const divided = { 0: [0, 11], 1: [1, 3] };
    expect(await division()).toEqual(divided);
    await one.execute('DELETE FROM page_filters WHERE website_id = ?', [site]);
    const runner = one.database.writer.createQueryRunner();
    await new AddPageFilters1797950000000().up(runner);
    await runner.release();
    await visit({ 2: 9 }, '/a');
    await work();
    expect([await division(), await blocksFor(filters), await blocksFor(undefined)]).toEqual([
      divided,
      [],
      [],
    ]);
    await new PageFilters(entities, one.store).onApplicationBootstrap();
    expect(await one.store.websitesToShare()).toEqual([]);
    await work();
    expect(await division()).toEqual({ ...divided, 2: [1, 9] });
    expect(await blocksFor(filters)).toEqual([[FIRST], [FIRST + 1, FIRST + 2]]);
  });

  it('keeps no service from starting where it names a goal that is gone, and keeps no day once it changes', async () => {
    await visit({ 0: 11, 1: 12 }, '/a');
    const { id } = await storeShared(filters);
    await work();
    const gone = site;
    const text = JSON.stringify([['is', 'goal', ['Gone']]]);
    await one.execute('UPDATE saved_filters SET filters = ? WHERE id = ?', [text, id]);
    await one.register(++site);
    await setPrivacy(PUBLIC);
    await storeShared(filters);
    await one.execute('UPDATE page_filters SET filters = NULL WHERE website_id IN (?, ?)', [gone, site]);
    await new PageFilters(entities, one.store).onApplicationBootstrap();
    expect(await one.store.websitesToShare()).toEqual([gone]);
    expect(await division(gone)).toEqual({ 0: [0, 11], 1: [1, 12] });
    await saved.change(OWNER, gone, id, (stored) => ({ ...stored, filters: [['is', 'page', ['/b']]] }));
    // Viewers of the new filter would see details of days without anybody.
    expect([await division(gone), await one.store.websitesToShare()]).toEqual([{}, []]);
  });

  it('is not that of a question that was asked before it changed, which has no blocks', async () => {
    await visit({ 0: 11 }, '/a');
    await work();
    expect([await blocksFor(undefined), await blocksFor(filters)]).toEqual([[[FIRST]], []]);
    await storeShared(filters);
    await work();
    expect([await blocksFor(undefined), await blocksFor(filters)]).toEqual([[], [[FIRST]]]);
  });
});

it('are made for the websites that are shared when the table is added', async () => {
  await visit({ 0: 4 });
  const shared = site;
  await one.register(++site);
  await visit({ 0: 4 });
  await one.execute('UPDATE closed_days SET due_at = NULL');
  const runner = one.database.writer.createQueryRunner();
  await new AddDayBlocks1797930000000().up(runner);
  await runner.release();
  expect(await dueAt()).toBeNull();
  site = shared;
  expect(await dueAt()).toBe(0);
});
