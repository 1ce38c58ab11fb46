import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SMALLEST = 320;
const PHONE = 390;
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The accessibility faults that axe finds on a page. */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
}

/** Shows a page on a screen of this width, in a colour scheme. */
export async function showOn(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 800 });
}

/** Expects a page without faults that fits the width; the smallest width is also checked on a phone. */
export async function expectToFit(page: Page, width: number): Promise<void> {
  expect(await faultsOf(page)).toEqual([]);
  await expectWidth(page, width);
  if (width !== SMALLEST) return;
  await page.setViewportSize({ width: PHONE, height: 800 });
  await expectWidth(page, PHONE);
  await page.setViewportSize({ width, height: 800 });
}

async function expectWidth(page: Page, width: number): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}
