import { dayText } from '../../engine/ground/time/days';
import { OTHER } from '../../engine/hits/rules/value-limits';
import { untilCounted } from '../support/counted';
import { TODAY } from '../support/counting';
import { record, website } from '../support/sending';
import { startApp } from '../support/test-app';

it('tells beside the statistics of a range that it has values counted together', async () => {
  const service = await startApp({ NEW_VALUES_PER_DAY: '3' });
  try {
    const site = await website(service.api);
    const { id, domain } = site;
    await record(
      service.api,
      site,
      Array.from({ length: 14 }, (_, page) => ({ url: `https://${domain}/p${page}` })),
    );
    await untilCounted(service.api, id);
    const range = `from=${dayText(TODAY - 1)}&to=${dayText(TODAY + 1)}`;
    const pages = await service.api.get(
      `/api/v1/stats/${id}?name=page&${range}&sort_by=value&sort=asc&per_page=100`,
    );
    expect(pages.body.meta.warnings).toEqual([
      { code: 'values_merged', detail: expect.stringContaining('page') },
    ]);
    expect(pages.body.data.map(({ value }: { value: string }) => value)).toEqual([
      OTHER,
      ...Array.from({ length: 12 }, (_, page) => `/p${page}`).sort(),
    ]);
    const compared = `from=${dayText(TODAY + 2)}&to=${dayText(TODAY + 4)}&compare=previous`;
    for (const [query, warnings] of [
      [`?name=browser&${range}`, 0],
      [`?name=page&from=2026-01-01&to=2026-01-02`, 0],
      [`?name=page&${compared}`, 1],
      [`/summary?names=browser,page&${range}`, 1],
      [`/summary?names=browser&${range}`, 0],
    ] as const)
      expect((await service.api.get(`/api/v1/stats/${id}${query}`)).body.meta.warnings ?? []).toHaveLength(
        warnings,
      );
  } finally {
    await service.stop();
  }
});
