import fc from 'fast-check';
import { STAT_NAMES, type StatName } from '../../../engine/hits/stat-names';
import { BOT } from '../../support/agents';
import { OF_VISITORS, closeDays, untilCounted, untilDropped } from '../../support/counted';
import {
  AGENTS,
  CountingModel,
  dayIn,
  LANGUAGES,
  type ModelWebsite,
  PLACES,
  type SentEvent,
} from '../../support/counting-model';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { counted, type Counted, type Range } from '../../support/numbers';
import { type Site, website, WEBSITES } from '../../support/sending';
import { size } from '../../support/sizes';
import { startApp, type TestApp } from '../../support/test-app';

/** Random histories of a website in each time zone. */
const RUNS = size('HISTORIES', 1, 50);
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const FURTHEST_BACK_MS = 46 * 60 * MINUTE_MS;
const EXCLUDED = { exclude_ips: '198.51.100.1', exclude_params: 'session' };
const LONG = 'x'.repeat(1100);

type Counts = Record<StatName, Counted>;
type Step = 'until counted' | 'restart' | 'close' | SentEvent[];

describe.each(['UTC', 'America/St_Johns', 'Pacific/Kiritimati'])('in the time zone %s', (timezone) => {
  let database: FreshDatabase;
  let service: TestApp;
  const start = async () =>
    void (service = await startApp({ DATABASE_URL: database.url, TIMEZONE: timezone }));
  beforeAll(async () => {
    database = await freshDatabase();
    await start();
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('counts whatever comes as the model does', async () => {
    const now = Date.now();
    const ranges = rangesOf(timezone, now);
    await fc.assert(
      fc.asyncProperty(steps(moments(timezone, now)), async (sent) => {
        const site = await website(service.api, EXCLUDED);
        const model = new CountingModel(modelOf(site, timezone));
        for (const step of sent) {
          if (step === 'restart') await service.stop().then(start);
          else if (step === 'until counted') await untilCounted(service.api, site.id);
          else if (step === 'close') await closeDays(service.counting, site.id);
          else await expectVerdicts(site, model, step);
        }
        await untilCounted(service.api, site.id);
        const dropped = model.entries('dropped', ranges[0]!.from, ranges[0]!.to);
        await untilDropped(
          service.api,
          site.id,
          dropped.reduce((sum, { count }) => sum + count, 0),
        );
        for (const range of ranges) expectInvariants(await expectCounts(site, model, range));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  async function expectVerdicts(site: Site, model: CountingModel, events: SentEvent[]): Promise<void> {
    const sent = events.map((event) => ({
      ...event,
      url: event.url.replace('DOMAIN', site.domain),
      referrer: event.referrer?.replace('DOMAIN', site.domain) ?? null,
    }));
    const { body } = await service.api.post(`${WEBSITES}/${site.id}/events`, { json: { events: sent } });
    expect(body.data).toEqual(sent.map((event) => ({ id: event.id, ...model.accept(event) })));
  }

  async function expectCounts(site: Site, model: CountingModel, range: Range): Promise<Counts> {
    const counts = {} as Counts;
    const expected = {} as Counts;
    for (const name of STAT_NAMES) {
      const entries = model.entries(name, range.from, range.to);
      const sum = entries.reduce((total, { count }) => total + count, 0);
      expected[name] = { entries, total: entries.length, sum };
      counts[name] = await counted(service.api, site.id, name, range);
    }
    expect(counts).toEqual(expected);
    return counts;
  }
});

function expectInvariants(counts: Counts): void {
  const { visitor, page, pageview } = counts;
  expect(page.sum).toBe(pageview.sum);
  for (const name of OF_VISITORS) expect([name, counts[name].sum]).toEqual([name, visitor.sum]);
}

function modelOf({ domain }: Site, timezone: string): ModelWebsite {
  const { exclude_ips: excludedAddress, exclude_params } = EXCLUDED;
  return { domain, timezone, excludedAddress, excludedParameters: [exclude_params] };
}

/** The whole range, each day, and everything except today. */
function rangesOf(timezone: string, now: number): Range[] {
  const days = [-2, -1, 0].map((days) => dayIn(timezone, now + days * 96 * QUARTER_MS));
  return [
    { from: '1970-01-01', to: '9999-12-31' },
    ...days.map((day) => ({ from: day, to: day })),
    { from: '2001-01-01', to: days[1]! },
  ];
}

/** Moments around each midnight, and others. */
function moments(timezone: string, now: number): fc.Arbitrary<string> {
  const quarters = Array.from(
    { length: FURTHEST_BACK_MS / QUARTER_MS },
    (_, index) => (Math.floor(now / QUARTER_MS) - index) * QUARTER_MS,
  );
  const midnights = quarters.filter((quarter) => dayIn(timezone, quarter) !== dayIn(timezone, quarter - 1));
  const around = fc
    .tuple(fc.constantFrom(...midnights), fc.constantFrom(-1000, -1, 0, 1, 1000))
    .map(([midnight, difference]) => midnight + difference);
  const any = fc.nat(FURTHEST_BACK_MS / MINUTE_MS).map((minutes) => now - minutes * MINUTE_MS);
  return fc.oneof(around, any).map((moment) => new Date(moment).toISOString());
}

/**
 * Some batches. Between them the process often restarts, or days are closed before or after their first hits are
 * counted.
 */
function steps(moment: fc.Arbitrary<string>): fc.Arbitrary<Step[]> {
  const batch = fc.array(events(moment), { minLength: 1, maxLength: 40, size: 'max' });
  const batches = fc.array(batch, { minLength: 1, maxLength: 3 });
  return fc
    .tuple(
      batches,
      fc.constantFrom<Step[]>([], ['restart'], ['until counted', 'restart'], ['until counted', 'close']),
      batches,
      fc.constantFrom<Step[]>([], ['until counted', 'close']),
    )
    .map((parts) => parts.flat());
}

function events(moment: fc.Arbitrary<string>): fc.Arbitrary<SentEvent> {
  const orNull = <T>(...values: T[]) => fc.constantFrom(null, ...values);
  return fc.record({
    id: fc.nat(150).map((number) => `5d3c1a52-8a59-4a3e-9a44-${String(number).padStart(12, '0')}`),
    url: urls(),
    referrer: orNull(
      'https://DOMAIN/',
      'https://www.DOMAIN:8443/a',
      'https://www.google.com/search?q=a',
      'http://GOOGLE.com',
      'https://blog.DOMAIN/',
      'android-app://com.slack/',
      'no address',
      '',
    ),
    language: orNull(...Object.keys(LANGUAGES)),
    screen: orNull('1920x1080', '390x844', '1x1'),
    event: orNull(
      ...['signup', 'Signup', 'signup ', 'é', 'e\u0301', '🎉', `${LONG}a`, `${LONG}b`].flatMap((name) => [
        { name },
        { name, passive: true },
      ]),
    ),
    ip: fc.constantFrom(...Object.keys(PLACES), EXCLUDED.exclude_ips),
    user_agent: fc.constantFrom(...Object.keys(AGENTS), BOT),
    occurred_at: moment,
  });
}

function urls(): fc.Arbitrary<string> {
  const host = fc.constantFrom('https://DOMAIN', 'http://www.DOMAIN', 'https://DOMAIN:8443');
  const path = fc.constantFrom('', '/', '/a', '/A', '/a/', '/caf%C3%A9', '/%E4', '/a%2Fb;c', `/${LONG}`);
  const parameter = fc.constantFrom(
    'b=1',
    'b=%20+2',
    'ref=c',
    'session=7',
    'utm_source=news',
    'utm_campaign=Spring+Sale',
    'utm_campaign=spring%20sale',
    'utm_campaign=%F0%9F%8C%B7',
    'gclid=1',
    'fbclid=2',
  );
  const parameters = fc.array(parameter, { maxLength: 3 });
  const fragment = fc.constantFrom('', '#top', '#?b=1');
  return fc
    .tuple(host, path, parameters, fragment)
    .map(([host, path, parameters, fragment]) =>
      [host, path, parameters.length > 0 ? `?${parameters.join('&')}` : '', fragment].join(''),
    );
}
