import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { painted } from './layout-shifts';

const SMALLEST = 320;
const PHONE = 390;
const MAX_LOOKS = 200;
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The accessibility faults that axe finds on a page, by all its rules or by some. */
export async function faultsOf(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
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

/** Some parts measure themselves after a change of the width. */
export async function expectWidth(page: Page, width: number): Promise<void> {
  const widths = () => page.evaluate<[number, number]>('[innerWidth, document.documentElement.scrollWidth]');
  for (let look = 0; look < MAX_LOOKS; look++) {
    const [inner, scroll] = await widths();
    if (inner === width && scroll <= width) return;
    await painted(page);
  }
  expect(await widths()).toEqual([width, width]);
}

/** Menus and dialogs that reach beyond the left or right edge of the screen, where nobody can scroll to. */
export function partsBeside(page: Page): Promise<string[]> {
  return page.evaluate(`
    [...document.querySelectorAll('dialog[open], [role=dialog], .menu-panel, #account-menu')]
      .filter((part) => part.getBoundingClientRect().left < 0 || part.getBoundingClientRect().right > innerWidth)
      .map(({ className }) => className)`);
}
