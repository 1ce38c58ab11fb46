import { UnsubscribeLinks } from '../../src/reports/unsubscribe-links';
import { ReportsService } from '../../src/reports/reports.service';
import { periodAround } from '../../src/reports/period';
import { day } from '../../engine/ground/time/parsed';
import { WebsitesRepository } from '../../src/websites/websites.repository';
import { openBrowser, type TestBrowser } from '../support/browser';
import { signedIn } from '../support/console-page';
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
    const report = await reports.report(website, periodAround(day('2026-03-02'), every));
    const html = reports.preview(website, {
      ...report,
      bounceRate: { rate: 0.4444, previous: undefined },
      goals: [{ value: 'Signup', label: 'Signup', count: 3 }],
    });
    for (const text of ['Bounce rate', '44%', 'View all statistics', 'Signup', 'conversions'])
      expect(html).toContain(text);
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

it('the console lists the recipients, previews a report, and tells how to set up mails', async () => {
  const page = await signedIn(browser, service, `?website=${websiteId}&view=options&section=reports`);
  const section = page.getByRole('region', { name: 'Recipients of reports' });
  await section.getByText('Only you get the reports.').waitFor();
  const guide = page.getByRole('link', { name: 'How to set up reports' });
  expect(await guide.getAttribute('href')).toBe('docs/guide/reports#switch-them-on');
  expect(await section.getByRole('button', { name: 'Send now' }).isDisabled()).toBe(true);

  await section.getByRole('button', { name: 'Edit recipients' }).click();
  const field = page.getByLabel('Further recipients');
  const save = page.getByRole('dialog').getByRole('button', { name: 'Save' });
  await field.fill('team@example.com\nnobody');
  await save.click();
  await page.getByRole('alert').getByText('must be an address that mail can be delivered to').waitFor();
  await field.fill('team@example.com, boss@example.com');
  await save.click();
  await section.getByRole('listitem').nth(1).waitFor();
  expect(await section.getByRole('listitem').allTextContents()).toEqual([
    'team@example.com not confirmed yet',
    'boss@example.com not confirmed yet',
  ]);

  const opened = page.waitForEvent('popup');
  await section.getByRole('link', { name: 'Preview' }).click();
  await (await opened).getByRole('heading', { name: 'one.example' }).waitFor();
  // The address that mail cannot be delivered to.
  expect(browser.complaints.splice(0)).toHaveLength(1);
});
