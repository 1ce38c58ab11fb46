import type { BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';
import type { TestBrowser } from './browser';
import { FIRST_KEY, type TestApp } from './test-app';
import { until } from './until';

/** Elements of a page of statistics. */
export const figure = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}`) });
export const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const chips = (page: Page) => page.locator('.chip-text');
export const settled = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();
export const filtersIn = (page: Page) => new URL(page.url()).searchParams.getAll('f');
export const entriesOf = async (page: Page, name: string) =>
  (await panel(page, name).getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s*\n\s*/)[0]);

/** Shows all of a page, also what is only drawn where it is nearly seen. */
export const TALL = { viewport: { width: 1280, height: 2000 } };

/** Opens a menu of the bar. */
export async function openMenu(
  page: Page | FrameLocator,
  kind: 'range' | 'compare' | 'site' | 'second',
): Promise<Locator> {
  const menu = page.locator(`.${kind}-menu`);
  await menu.locator('.menu-button').click();
  return menu.locator('.menu-panel');
}

/** Chooses one of the named ranges. */
export async function chooseRange(page: Page | FrameLocator, name: string): Promise<void> {
  await (await openMenu(page, 'range')).getByRole('link', { name, exact: true }).click();
}

/** Advances a page's fake clock until it shows something, so that no real time passes. */
export const fastForwardUntil = (page: Page, shown: Locator, byMs = 1000) =>
  until(async () => {
    await page.clock.fastForward(byMs);
    return shown.isVisible();
  });

/** Starts a session of the console in a page. */
export async function startSession(page: Page, { address }: TestApp): Promise<void> {
  await page.request.post(`${address}/console/api/session`, {
    headers: { Authorization: `Bearer ${FIRST_KEY}` },
  });
}

/** Opens a page of the console, signed in. */
export async function openOwn(
  browser: TestBrowser,
  app: TestApp,
  query: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await browser.newPage(options);
  await startSession(page, app);
  await page.goto(`${app.address}/${query}`);
  await settled(page);
  return page;
}

/** Waits until figures have these texts. */
export async function shows(page: Page, figures: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(figures))
    await figure(page, name).locator('.sum').getByText(text, { exact: true }).waitFor();
}
