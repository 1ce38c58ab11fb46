import type { Page } from 'playwright-core';
import type { TestBrowser } from './browser';
import { FIRST_KEY, type TestApp } from './test-app';

/** Opens a page of the console that is signed out. */
export async function openConsole(browser: TestBrowser, { address }: TestApp, query = ''): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${address}/${query}`);
  return page;
}

export async function signIn(browser: TestBrowser, page: Page, key = FIRST_KEY): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await accountMenu(page).waitFor();
  // The first request has no session.
  browser.complaints.length = 0;
}

/** Opens a page of the console, and signs in by its form. */
export async function signedIn(
  browser: TestBrowser,
  service: TestApp,
  query = '',
  key = FIRST_KEY,
): Promise<Page> {
  const page = await openConsole(browser, service, query);
  await signIn(browser, page, key);
  return page;
}

export const accountMenu = (page: Page) => page.getByRole('button', { name: /^Account / });

export async function signOut(page: Page): Promise<void> {
  await accountMenu(page).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}
