import { dayText } from '../../../engine/ground/time/days';
import { Housekeeping } from '../../../src/retention/housekeeping';
import { readDivision } from '../../../engine/columns/day-blocks';
import { readArchivedFrom } from '../../../engine/columns/stored-days';
import type { Hit } from '../../../engine/hits/hit';
import { closeDays } from '../../support/counted';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { size } from '../../support/sizes';
import { until } from '../../support/until';
import { savedFilter } from '../../support/website-resources';

const DAYS = 60;
const FIRST = TODAY - DAYS;
const ENOUGH = 10;
const FEW_IN_ROW = 3;
const METRICS = ['visitors', 'pageviews', 'events', 'visits', 'bounces'];
const QUERIES_AT_ONCE = 20;
/** The statistics of the first days expire. */
const EXPIRED = 18;

type Counts = Map<string, number>;
type Filter = (hit: Hit) => boolean;
interface Span {
  from: number;
  to: number;
}

/** A fixed sequence of numbers from 0 to 1. */
let seed = 20_261_129;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}
const upTo = (most: number) => Math.floor(random() * (most + 1));
const among = <T>(values: readonly T[]): T => values[upTo(values.length - 1)]!;

/** Hits of a small day: each visitor has one visit of one or two pages, some with an event. */
function smallDay(day: number, visitors: number, name: string): Hit[] {
  return Array.from({ length: visitors }, (_, index) => {
    const browser = among(['Chrome', 'Chrome', 'Firefox', 'Safari']);
    const hit = (page: string, event: string | null = null) =>
      pageViewOn(day, page, `${name}${index}.`, { browser, event });
    const pages = Array.from({ length: 1 + upTo(1) }, () =>
      hit(among(['/', '/a', '/b', '/c', `/of/${day}`])),
    );
    return [...pages, ...(random() < 0.3 ? [hit('/', among(['signup', 'buy']))] : [])];
  }).flat();
}

let database: FreshDatabase;
let one: CountingProcess;
let service: TestApp;
let site: Site;
let hits: Hit[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  service = await startApp({ DATABASE_URL: database.url });
  site = await website(service.api, { privacy: 0 });
});
afterAll(async () => {
  await service.stop();
  await one.stop();
  await database.drop();
});

async function count(more: Hit[]): Promise<void> {
  hits = [...hits, ...more];
  await one.count(site.id, more);
}

/** By day, counted from the first one. */
async function storedDivision(): Promise<Map<number, number>> {
  const days = await one.database.read((reader) => readDivision(reader, site.id));
  return new Map(days.map(({ day, block }) => [day, block]));
}

/** Waits until all days with visitors are divided, also if the service in the background does it. */
async function divided(days: number): Promise<Map<number, number>> {
  await until(async () => {
    await closeDays(service.counting, site.id);
    return (await storedDivision()).size >= days;
  });
  return storedDivision();
}

/** What the hits of a day add up to. */
class Day {
  readonly visitors = new Set<string>();
  readonly pages: Counts = new Map();
  readonly metrics = { pageviews: 0, events: 0, visits: 0, bounces: 0 };
  /** The number of hits of each visitor. All of them are one visit. */
  private readonly hitsOf: Counts = new Map();

  /** The first hit of a visitor is a page view. */
  add({ visitor, page, event }: Hit): void {
    addTo(this.hitsOf, visitor, 1);
    if (event === null) addTo(this.pages, page, 1);
    this.visitors.add(visitor);
    this.metrics[event === null ? 'pageviews' : 'events']++;
    this.metrics.visits = this.visitors.size;
    this.metrics.bounces = [...this.hitsOf.values()].filter((own) => own === 1).length;
  }
}

function addTo(counts: Counts, value: string, count: number): void {
  counts.set(value, (counts.get(value) ?? 0) + count);
}

/** The numbers of a state of the website, by walking over the hits that the filter selects. */
class Model {
  private readonly days = new Map<number, Day>();
  private readonly covered = new Map<string, boolean>();

  constructor(
    private readonly division: ReadonlyMap<number, number>,
    /** The visitors of each day when it was divided. */
    private readonly before: ReadonlyMap<number, number>,
    private readonly selects?: Filter,
    private readonly statsFrom = 0,
  ) {
    for (const hit of hits.filter((own) => (selects?.(own) ?? true) && own.day >= statsFrom)) {
      const day = this.days.get(hit.day) ?? new Day();
      this.days.set(hit.day, day);
      day.add(hit);
    }
  }

  visitorsOf(day: number): number {
    return this.days.get(day)?.visitors.size ?? 0;
  }

  /** The days of the blocks that the range contains whole. */
  shown({ from, to }: Span): number[] {
    const blocks = new Map<number, number[]>();
    for (const [day, block] of this.division) blocks.set(block, [...(blocks.get(block) ?? []), day]);
    const sum = (days: number[], visitors: (day: number) => number) =>
      days.reduce((total, day) => total + visitors(day), 0);
    return [...blocks]
      .filter(([first, days]) => days.includes(first) && first >= this.statsFrom)
      .map(([, days]) => days)
      .filter((days) => days.every((day) => day >= from && day <= to))
      .filter((days) => sum(days, (day) => this.before.get(day)!) >= ENOUGH)
      .filter((days) => sum(days, (day) => this.visitorsOf(day)) >= ENOUGH)
      .flat();
  }

  isCovered(range: Span): boolean {
    const key = `${range.from} ${range.to}`;
    const known = this.covered.get(key);
    if (known !== undefined) return known;
    const shown = new Set(this.shown(range));
    const isCovered = shown.size > 0 && this.daysIn(range).every((day) => shown.has(day));
    this.covered.set(key, isCovered);
    return isCovered;
  }

  pages(range: Span): Record<string, number> {
    const rows: Counts = new Map();
    let total = 0;
    const shown = new Set(this.shown(range));
    for (const day of this.daysIn(range))
      for (const [value, own] of this.days.get(day)!.pages) {
        total += own;
        if (shown.has(day)) addTo(rows, value, own);
      }
    const large = [...rows].filter(([, own]) => own >= FEW_IN_ROW);
    const other = total - large.reduce((sum, [, own]) => sum + own, 0);
    return Object.fromEntries(other > 0 ? [...large, ['(other)', other]] : large);
  }

  metrics(range: Span): Record<string, number | null> {
    const days = this.daysIn(range);
    const isKnown = days.length === 0 || this.isCovered(range);
    const sum = (metric: keyof Day['metrics']) =>
      days.reduce((total, day) => total + this.days.get(day)!.metrics[metric], 0);
    const detail = (metric: keyof Day['metrics']) => (isKnown ? sum(metric) : null);
    return {
      visitors: days.reduce((total, day) => total + this.visitorsOf(day), 0),
      pageviews: sum('pageviews'),
      ...{ events: detail('events'), visits: detail('visits'), bounces: detail('bounces') },
    };
  }

  detailed(range: Span): { from: string; to: string } | null {
    let longest: Span | undefined;
    for (const part of rangesWithin(range))
      if (this.isCovered(part) && !(longest && part.to - part.from < longest.to - longest.from))
        longest = part;
    return longest ? rangeOf(longest) : null;
  }

  /** The smallest range with these days that hides nothing. */
  around(range: Span): { from: string; to: string } | null {
    if (this.selects || this.daysIn(range).length === 0) return null;
    const isAround = ({ from, to }: Span) => from <= range.from && to >= range.to;
    const all = RANGES.filter((other) => isAround(other) && this.isCovered(other));
    const [smallest] = all.sort((one, other) => one.to - one.from - (other.to - other.from));
    return smallest ? rangeOf(smallest) : null;
  }

  private daysIn({ from, to }: Span): number[] {
    return [...this.days.keys()].filter((day) => day >= from && day <= to);
  }
}

/** In the order of their begins. */
function rangesWithin({ from, to }: Span): Span[] {
  const days = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return days.flatMap((begin, index) => days.slice(index).map((end) => ({ from: begin, to: end })));
}

const RANGES = rangesWithin({ from: FIRST, to: TODAY - 1 });
const ONE_IN = size('BLOCK_RANGES_ONE_IN', 4, 1);
const ASKED = RANGES.filter((_, index) => index % ONE_IN === 0);
const worded = ({ from, to }: Span): [string, string] => [dayText(from), dayText(to)];
const rangeOf = ({ from, to }: Span) => ({ from: dayText(from), to: dayText(to) });

/** Compares the answers for the asked ranges with the model, which adds whole blocks up. */
async function expectBlocks(model: Model): Promise<void> {
  const nobody = service.api.as(undefined);
  for (const range of ASKED) {
    const [from, to] = worded(range);
    const path = `/share/${site.domain}/api/summary?names=page&from=${from}&to=${to}&per_page=100`;
    const { data, meta } = (await nobody.get(path)).body;
    const rows = Object.fromEntries(data[0].entries.map(({ value, count: own }: any) => [value, own]));
    const { detailed_range, surrounding_range } = meta;
    const expected = {
      ...{ rows: model.pages(range), detailed_range: model.detailed(range) },
      surrounding_range: model.detailed(range) ? undefined : model.around(range),
    };
    expect({ from, to, rows, detailed_range, surrounding_range }).toEqual({ from, to, ...expected });
  }
  for (let index = 0; index < ASKED.length; index += QUERIES_AT_ONCE) {
    const some = ASKED.slice(index, index + QUERIES_AT_ONCE);
    const queries = some.map((range) => ({ metrics: METRICS, range: worded(range) }));
    const { body } = await nobody.post(`/share/${site.domain}/api/query`, { json: { queries } });
    for (const [place, range] of some.entries())
      expect([...worded(range), body.data[place].data[0]]).toEqual([...worded(range), model.metrics(range)]);
  }
}

/** The visitors of each day that is divided. */
const visitorsNow = (division: ReadonlyMap<number, number>, model: Model) =>
  new Map(Array.from(division.keys(), (day) => [day, model.visitorsOf(day)]));
const modelOf = (division: ReadonlyMap<number, number>, selects?: Filter): Model => {
  const known = new Model(division, new Map(), selects);
  return new Model(division, visitorsNow(division, known), selects);
};

describe('60 small days, in ranges of each length', () => {
  const days = Array.from({ length: DAYS }, (_, index) => FIRST + index);
  /** Some days have nobody at first. */
  const isEmpty = (day: number) => (day - FIRST) % 9 === 4;
  let first: Map<number, number>;
  let before: Map<number, number>;

  it('show sums of whole blocks', async () => {
    await count(days.flatMap((day) => smallDay(day, isEmpty(day) ? 0 : 1 + upTo(11), 'v')));
    first = await divided(new Set(hits.map(({ day }) => day)).size);
    const model = modelOf(first);
    before = visitorsNow(first, model);
    // Days with fewer than ten visitors are in blocks of several days.
    expect(new Set(first.values()).size).toBeLessThan(first.size - DAYS / 4);
    await expectBlocks(model);
  });

  it('are the same days after late hits', async () => {
    const late = days.filter((day) => isEmpty(day) || (day - FIRST) % 5 === 0);
    await count(late.flatMap((day) => smallDay(day, 1 + upTo(11), 'late')));
    const division = await divided(new Set(hits.map(({ day }) => day)).size);
    for (const [day, visitors] of visitorsNow(division, modelOf(division)))
      if (!before.has(day)) before.set(day, visitors);
    const moved = [...first].filter(([day, block]) => division.get(day) !== block);
    // The open block may begin with a day that had nobody before.
    expect(new Set(moved.map(([, block]) => block)).size).toBeLessThanOrEqual(1);
    await expectBlocks(new Model(division, before));
    first = division;
  });

  it('are the same days while nobody sees them', async () => {
    for (const privacy of [1, 0]) await service.api.patch(`${WEBSITES}/${site.id}`, { json: { privacy } });
    expect(await divided(first.size)).toEqual(first);
  });

  it('are divided anew by a filter that limits the page, and by its change', async () => {
    const { id } = await savedFilter(service.api, site.id, 'Limit', [['is', 'browser', ['Chrome']]]);
    const path = `${WEBSITES}/${site.id}/saved-filters/${id}`;
    await service.api.patch(path, { json: { shared: 1 } });
    const isChrome: Filter = ({ browser }) => browser === 'Chrome';
    const division = await divided(new Set(hits.filter(isChrome).map(({ day }) => day)).size);
    expect(division).not.toEqual(first);
    await expectBlocks(modelOf(division, isChrome));
    await service.api.patch(path, { json: { shared: 0 } });
    const again = await divided(first.size);
    before = visitorsNow(again, modelOf(again));
    first = again;
  });

  it('are fewer after the statistics of old days are gone, which ends blocks', async () => {
    await service.stop();
    service = await startApp({ DATABASE_URL: database.url, STATS_DAYS: String(DAYS - EXPIRED) });
    await service.app.get(Housekeeping).tidy();
    const left = new Map([...first].filter(([day]) => day >= FIRST + EXPIRED));
    await until(async () => (await storedDivision()).size === left.size);
    expect(await storedDivision()).toEqual(left);
    expect([...left].some(([, block]) => block < FIRST + EXPIRED)).toBe(true);
    await expectBlocks(new Model(left, before, undefined, FIRST + EXPIRED));
  });
});

describe('a block of days whose first day has lost its hits', () => {
  const VISITORS = [2, 7, 9];
  const QUIET = TODAY - 12;
  const BLOCK = { from: QUIET, to: QUIET + 2 };
  const EVERY_DAY = { from: QUIET, to: TODAY - 1 };
  const LATER = { from: BLOCK.to + 1, to: TODAY - 1 };
  let [whole, limited]: Site[] = [];

  beforeAll(async () => {
    whole = await register();
    limited = await register();
    const { id } = await savedFilter(service.api, limited.id, 'Limit', [['is', 'browser', ['Chrome']]]);
    await service.api.patch(`${WEBSITES}/${limited.id}/saved-filters/${id}`, { json: { shared: 1 } });
    for (site of [whole, limited]) await divided(TODAY - QUIET);
    await service.stop();
    service = await startApp({ DATABASE_URL: database.url, ARCHIVE_DAYS: String(TODAY - QUIET - 1) });
    for (site of [whole, limited]) await until(isArchived);
  });

  async function register(): Promise<Site> {
    site = await website(service.api, { privacy: 0 });
    const visitorsOn = (day: number) => VISITORS[day - QUIET] ?? ENOUGH;
    const days = Array.from({ length: TODAY - QUIET }, (_, index) => QUIET + index);
    const own = days.flatMap((day) => smallDay(day, visitorsOn(day), 'v'));
    await count(own.map((hit) => ({ ...hit, browser: 'Chrome' })));
    return site;
  }

  async function isArchived(): Promise<boolean> {
    await closeDays(service.counting, site.id);
    await service.app.get(Housekeeping).tidy();
    return (await one.database.read((reader) => readArchivedFrom(reader, site.id))) === QUIET + 1;
  }

  it.each([
    ['page', () => whole],
    ['page that is limited to a filter', () => limited],
  ])('shows nothing that is counted from hits on a %s', async (_, its) => {
    const path = `/share/${its()!.domain}/api`;
    const nobody = service.api.as(undefined);
    for (const range of [EVERY_DAY, BLOCK]) {
      const json = { metrics: METRICS, range: worded(range) };
      const { data, meta } = (await nobody.post(`${path}/query`, { json })).body;
      expect(data[0]).toMatchObject({ events: null, visits: null, bounces: null });
      expect(meta.detailed_range).toEqual(range === EVERY_DAY ? rangeOf(LATER) : null);
    }
    const entryPages = async (range: Span) => {
      const [from, to] = worded(range);
      const answer = await nobody.get(`${path}/stats?name=entry_page&from=${from}&to=${to}&per_page=100`);
      const { data, meta } = answer.body;
      expect(meta.detailed_range).toEqual(rangeOf(LATER));
      return data.filter(({ value }: { value: string }) => value !== '(other)');
    };
    expect(await entryPages(EVERY_DAY)).toEqual(await entryPages(LATER));
  });
});
