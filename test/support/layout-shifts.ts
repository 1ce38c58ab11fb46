import type { Page } from 'playwright-core';

/** Records layout shifts in each document that the page loads, except just after clicks and typing. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts.push([entry.value, ...entry.sources.map(({ node }) => node?.outerHTML ?? '')]);
    }).observe({ type: 'layout-shift', buffered: true });`);
}

/** The recorded shifts, once everything is painted. */
export async function shiftsOf(page: Page): Promise<unknown[]> {
  await painted(page);
  return page.evaluate('shifts');
}

export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
}
