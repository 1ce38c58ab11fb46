import { ApiClient } from '../../support/api-client';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { keptHits } from '../../support/stored-days';
import { type Service, startService } from '../../support/programs';
import { record, type Site, website } from '../../support/sending';
import { size } from '../../support/sizes';
import { countElsewhereUntil, openOn, renewLease } from '../../support/store-hooks';
import { FIRST_KEY } from '../../support/test-app';
import { until } from '../../support/until';

const WEBSITES = size('BUSY_WEBSITES', 10, 60);
const EVENTS = 150;
const LEAST_ROUNDS = 4;
const DAY = TODAY - 10;
const HITS_OF_DAY = 120;
const LEASE_MS = 3500;

let database: FreshDatabase;
let one: CountingProcess;
let service: Service | undefined;
let endElsewhere: () => void;
beforeEach(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  endElsewhere = await countElsewhere();
});
afterEach(async () => {
  endElsewhere();
  await service?.program.stop('SIGKILL');
  await one.stop();
  await database.drop();
});

/**
 * Acts like another process that counts a website: closed days are then looked for every few seconds instead of once a
 * minute. Returns a function that ends it.
 */
async function countElsewhere(): Promise<() => void> {
  await one.execute(countElsewhereUntil(100_000, Date.now() + LEASE_MS));
  const renew = () => one.execute(renewLease(100_000, Date.now() + LEASE_MS));
  const renewing = setInterval(() => void renew().catch(() => undefined), LEASE_MS / 4);
  return () => clearInterval(renewing);
}

let visitors = 0;
/** Events of new visitors, some on new pages. */
function eventsOf({ domain }: Site): object[] {
  return Array.from({ length: EVENTS }, (_, index) => {
    const visitor = ++visitors;
    const page = index % 5 === 0 ? `a/rather/long/path/of/the/website/${visitor}` : '';
    return { url: `https://${domain}/${page}`, ip: `203.0.${(visitor >> 8) & 255}.${visitor & 255}` };
  });
}

async function openDays(): Promise<number> {
  return (await one.database.query<object[]>(openOn(DAY))).length;
}

it.each([
  { cacheMb: 16, mostMegabytes: 400 },
  { cacheMb: 128, mostMegabytes: 450 },
])(
  'closes the days of busy websites beside queries, with CACHE_MB=$cacheMb',
  async ({ cacheMb, mostMegabytes }) => {
    service = await startService({
      DATABASE_URL: database.url,
      BOOTSTRAP_API_KEY: FIRST_KEY,
      CACHE_MB: String(cacheMb),
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
    });
    const api = new ApiClient(service.address, FIRST_KEY);
    const sites: Site[] = [];
    while (sites.length < WEBSITES) sites.push(await website(api));
    for (const [index, { id }] of sites.entries()) {
      const hits = Array.from({ length: HITS_OF_DAY }, (_, hit) =>
        pageViewOn(DAY, `/${hit}`, 'a', {
          visitor: Buffer.alloc(8, `${index} ${hit} `).toString('base64url'),
        }),
      );
      await one.accept(id, ...hits);
    }
    let rounds = 0;
    const everySite = async (work: (site: Site) => Promise<unknown>) => {
      for (let begin = 0; begin < sites.length; begin += 6)
        await Promise.all(sites.slice(begin, begin + 6).map(work));
    };
    const requested = { metrics: ['visitors'], dimensions: ['page'], range: '7d' };
    const load = async () => {
      await everySite((site) => record(api, site, eventsOf(site)));
      const { id } = sites[++rounds % sites.length]!;
      expect((await api.post(`/api/v1/stats/${id}/query`, { json: requested })).status).toBe(200);
      expect(
        (await api.get(`/api/v1/stats/${id}?name=page&from=2026-01-01&to=9999-12-31&sort_by=value`)).status,
      ).toBe(200);
    };
    await load();
    await until(async () => (await openDays()) === WEBSITES);
    while (rounds < LEAST_ROUNDS || (await openDays()) > 0) await load();
    expect(service.program.mostResidentMegabytes()).toBeLessThan(mostMegabytes);
    // Counting may still have to catch up with the last events.
    await until(async () => {
      const { status, body } = await api.get('/health/ready');
      return status === 200 && body.warnings === undefined;
    });
    for (const { id } of [sites[0]!, sites.at(-1)!])
      expect((await keptHits(one.database, id)).filter(({ day }) => day === DAY)).toHaveLength(HITS_OF_DAY);
  },
);
