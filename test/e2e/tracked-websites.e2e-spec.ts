import { ReadMemory } from '../../src/database/connections/read-memory';
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
  const repository = new WebsitesRepository(service.database, new ReadMemory(), websitesOf);
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
