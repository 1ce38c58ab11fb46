import { ReadMemory } from '../../engine/ground/memory/read-memory';
import { HitStore } from '../../engine/port';
import { TrackedWebsites } from '../../src/intake/tracked-websites';
import { WebsitesRepository } from '../../src/websites/websites.repository';
import { Website } from '../../src/websites/website.entity';
import { website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

function fresh() {
  const websitesOf = service.database.writer.getRepository(Website);
  const store = service.app.get(HitStore);
  const repository = new WebsitesRepository(service.database, new ReadMemory(), store, websitesOf);
  const websites = new TrackedWebsites(repository);
  return {
    websites,
    looks: jest.spyOn(repository, 'changesSince'),
    lookUps: jest.spyOn(repository, 'findByDomainUnscoped'),
  };
}

it('looks an unregistered domain up once for each version of the websites', async () => {
  const { websites, lookUps } = fresh();
  const domain = 'later.example.com';
  for (let time = 0; time < 5; time++) expect(await websites.find(domain)).toBeUndefined();
  expect(lookUps).toHaveBeenCalledTimes(1);
  expect(websites.known(domain)).toBeUndefined();
  const { id } = await website(service.api, { domain });
  expect(await websites.find(domain)).toMatchObject({ id });
  expect(await websites.find(domain)).toMatchObject({ id });
  expect(lookUps).toHaveBeenCalledTimes(2);
});

it('looks up again what changed, and nothing else', async () => {
  const { websites, lookUps } = fresh();
  const changed = await website(service.api);
  const other = await website(service.api);
  const find = async ({ domain }: { domain: string }) => (await websites.find(domain))!;
  const [before, untouched] = [await find(changed), await find(other)];
  await service.api.patch(`/api/v1/websites/${changed.id}`, { form: { exclude_bots: '0' } });
  expect(await find(other)).toBe(untouched);
  expect([websites.isCurrent(before), websites.isCurrent(untouched)]).toEqual([false, true]);
  const after = await find(changed);
  expect([before.excludesBots, after.excludesBots]).toEqual([true, false]);
  expect(websites.isCurrent(after)).toBe(true);
  expect(lookUps).toHaveBeenCalledTimes(3);
});

it('looks all up again where it missed too many changes', async () => {
  const { websites, lookUps } = fresh();
  const sites = [await website(service.api), await website(service.api)];
  const kept = await Promise.all(sites.map(({ domain }) => websites.find(domain)));
  await service.database.write(async (manager) => {
    await manager.query('UPDATE website_changes SET version = version + 2000');
    await manager.query('DELETE FROM changed_domains');
  });
  const again = await Promise.all(sites.map(({ domain }) => websites.find(domain)));
  expect(kept.map((one) => websites.isCurrent(one!))).toEqual([false, false]);
  expect(again.map((one) => websites.isCurrent(one!))).toEqual([true, true]);
  expect(lookUps).toHaveBeenCalledTimes(4);
});

it('shares one look at the version among all who wait', async () => {
  const { websites, looks } = fresh();
  await Promise.all(Array.from({ length: 100 }, (_, index) => websites.find(`nobody${index}.example.com`)));
  expect(looks.mock.calls.length).toBeLessThanOrEqual(2);
});

it('goes on after a look that failed', async () => {
  const { websites, looks } = fresh();
  looks.mockRejectedValueOnce(new Error('away'));
  await expect(websites.find('nobody.example.com')).rejects.toThrow('away');
  expect(await websites.find('nobody.example.com')).toBeUndefined();
});

describe('ten websites with options of 480 kB each', () => {
  const lines = (length: number, lineOf: (index: number) => string) =>
    Array.from({ length: 1000 }, (_, index) => lineOf(index).padEnd(length, 'x')).join('\n');
  const OPTIONS = {
    exclude_params: lines(250, (index) => `*p${index}*`),
    allowed_origins: Array.from(
      { length: 1000 },
      (_, index) => `h${index}.${`${'y'.repeat(60)}.`.repeat(3)}example.net`,
    ).join('\n'),
    exclude_ips: Array.from({ length: 1000 }, (_, index) => `2001:db8:${index.toString(16)}::/48`).join('\n'),
  };
  const large: Website['domain'][] = [];
  beforeAll(async () => {
    for (let index = 0; index < 10; index++) {
      const { id, domain } = await website(service.api);
      for (const [name, value] of Object.entries(OPTIONS)) {
        const { status } = await service.api.patch(`/api/v1/websites/${id}`, { json: { [name]: value } });
        expect(status).toBe(200);
      }
      large.push(domain);
    }
  });

  it('are all known at once, and let others be known', async () => {
    const { websites, lookUps } = fresh();
    const others = await Promise.all(
      Array.from({ length: 5 }, async () => (await website(service.api)).domain),
    );
    const all = [...others, ...large];
    for (const domain of all) await websites.find(domain);
    expect(lookUps).toHaveBeenCalledTimes(all.length);
    for (let turn = 0; turn < 3; turn++)
      for (const domain of all) expect([domain, websites.known(domain)?.domain]).toEqual([domain, domain]);
  });

  it('are read once for events that come at once', async () => {
    const { websites, lookUps } = fresh();
    await Promise.all(Array.from({ length: 50 }, () => websites.find(large[0]!)));
    expect(lookUps.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it('still leave out what they list', async () => {
    const { isExcluded, isAllowedOrigin, excludedParameters } = (await fresh().websites.find(large[0]!))!;
    expect([isExcluded('2001:db8:3e7::1'), isExcluded('2001:db8:3e8::1')]).toEqual([true, false]);
    const host = `h999.${`${'y'.repeat(60)}.`.repeat(3)}example.net`;
    expect([isAllowedOrigin(host), isAllowedOrigin(`z${host}`)]).toEqual([true, false]);
    const name = OPTIONS.exclude_params.split('\n')[999]!.replaceAll('*', 'z');
    expect([excludedParameters.excludes(name), excludedParameters.excludes(`${name}z`)]).toEqual([
      true,
      false,
    ]);
  });
});
