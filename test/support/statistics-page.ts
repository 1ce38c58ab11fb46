import type { Page } from 'playwright-core';

/** What stands on a page of statistics. */
export const figure = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}`) });
export const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const chips = (page: Page) => page.locator('.chip-text');
export const settled = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();
export const filtersIn = (page: Page) => new URL(page.url()).searchParams.getAll('f');

/** Waits until figures are as they should be. */
export async function shows(page: Page, figures: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(figures))
    await figure(page, name).locator('.sum').getByText(text, { exact: true }).waitFor();
}
