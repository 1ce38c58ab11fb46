import { UnsubscribeLinks } from '../../src/reports/unsubscribe-links';
import { ReportsService } from '../../src/reports/reports.service';
import { periodAround } from '../../src/reports/period';
import { day } from '../../src/validation/parsers';
import { WebsitesRepository } from '../../src/websites/websites.repository';
import { openBrowser, type TestBrowser } from '../support/browser';
import { fillReport } from '../support/reports';
import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
let browser: TestBrowser;
let websiteId: number;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp(), openBrowser()]);
  const form = { domain: 'one.example', email: 1 };
  websiteId = (await service.api.post('/api/v1/websites', { form })).body.data.id;
  await fillReport(service, websiteId, '2026-03-02', {
    page: `/${'very-long-'.repeat(12)}`,
    event: 'W'.repeat(200),
  });
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(() => browser.closePages());

const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

it.each(['weekly', 'monthly'] as const)(
  'a %s report fits any window, light and dark, and loads nothing',
  async (every) => {
    const reports = service.app.get(ReportsService, { strict: false });
    const website = (await service.app.get(WebsitesRepository).findUnscoped(websiteId))!;
    const html = reports.preview(
      website,
      await reports.report(website, periodAround(day('2026-03-02'), every)),
    );
    const page = await browser.newPage();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    const backgrounds = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [320, 800]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.setContent(html);
        expect(await page.evaluate(isWider)).toBe(false);
        backgrounds.add(
          await page.evaluate('getComputedStyle(document.querySelector(".card")).backgroundColor'),
        );
      }
    expect(backgrounds.size).toBe(2);
    expect(loaded).toEqual([]);
  },
);

it('the page behind its link stops the reports by a press of its button', async () => {
  const page = await browser.newPage();
  const { pathname } = new URL(service.app.get(UnsubscribeLinks, { strict: false }).of(websiteId));
  await page.setViewportSize({ width: 320, height: 600 });
  await page.goto(service.address + pathname);
  expect(await page.evaluate(isWider)).toBe(false);
  expect(await page.evaluate('getComputedStyle(document.querySelector("main")).borderRadius')).toBe('12px');
  await page.getByRole('button', { name: 'Stop the reports' }).click();
  await page.getByRole('heading', { name: 'The reports are stopped' }).waitFor();
  expect((await service.api.get(`/api/v1/websites/${websiteId}`)).body.data.email).toBe(0);
  expect(browser.complaints).toEqual([]);
});
