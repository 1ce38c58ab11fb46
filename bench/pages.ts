import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser';
import { command, KEPT } from './read-data';
import { machine, milepost, record, type Server, table } from './service';

const EVENTS = Number(process.env.EVENTS ?? 1_000_000);
const DAYS = 365;
const DOMAIN = 'pages.example';
const OWNER = 'bench@example.com';
/** The first query reads all hits. */
const PATIENCE_MS = 120_000;
const ROWS = '.places .entries .pick';

/** The page's own measurements of a click, in milliseconds. */
interface Click {
  /** Until everything is painted. */
  complete: number;
  /** The query alone, from its request to the end of its answer. */
  hitQuery: number;
  /** The longest task over 50 ms. */
  longest: number;
}

/** Clicks on a row, and waits until all numbers are filtered. */
const CLICK = `(link) => new Promise((resolve) => {
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: 'longtask' });
  performance.clearResourceTimings();
  const since = performance.now();
  let wasBusy = false;
  const look = () => {
    const isBusy = document.querySelector('main').getAttribute('aria-busy') === 'true';
    wasBusy ||= isBusy;
    if (!wasBusy || isBusy) return requestAnimationFrame(look);
    requestAnimationFrame(() => {
      const complete = performance.now() - since;
      const [asked] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/query'));
      tasks.push(...observer.takeRecords().map(({ duration }) => duration));
      observer.disconnect();
      resolve({ complete, hitQuery: asked.responseEnd - asked.requestStart, longest: Math.max(0, ...tasks) });
    });
  };
  link.click();
  look();
})`;

/** The time from a click on a filter until a page of 12 months with comparison is complete. */
async function measure(): Promise<void> {
  const environment = { ...process.env, DATABASE_URL: `sqlite:${join(KEPT, `pages-${EVENTS}.sqlite`)}` };
  const key = fill(environment);
  const service = await milepost(environment);
  const browser = await openBrowser();
  try {
    await share(service, key);
    const page = await browser.newPage();
    await page.goto(`${service.address}/share/${DOMAIN}?range=12m`);
    const first = await clickAll(page);
    const kept = await clickAll(page);
    const rows = [rowOf('first time', first), rowOf('again', kept)];
    const head = ['clicks', 'complete: median, worst ms', 'query: median, worst ms', 'longest task ms'];
    const size = `${EVENTS.toLocaleString('en')} events over ${DAYS} days. Load average: ${loadavg()[0]!.toFixed(0)}.`;
    record('pages', [`${machine()} ${size}`, '', table(head, rows)].join('\n'));
  } finally {
    await browser.close();
    service.process.kill('SIGTERM');
    await once(service.process, 'exit');
  }
}

/** Fills the website the first time, and returns its owner's key. */
function fill(environment: NodeJS.ProcessEnv): string {
  command(environment, 'migrate');
  try {
    return command(environment, 'key', 'create', OWNER).trim();
  } catch {
    const key = command(environment, 'user', 'create', OWNER).trim();
    command(environment, 'demo', '--domain', DOMAIN, '--events', String(EVENTS), '--days', String(DAYS));
    return key;
  }
}

async function share({ address }: Server, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const websites = (await (await fetch(`${address}/api/v1/websites`, { headers })).json()) as {
    data: { id: number }[];
  };
  await fetch(`${address}/api/v1/websites/${websites.data[0]!.id}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ privacy: 0, share_filters: 1 }),
  });
}

/** Clicks on each country, one filter at a time. */
async function clickAll(page: Page): Promise<Click[]> {
  const clicks: Click[] = [];
  await settled(page);
  const count = await page.locator(ROWS).count();
  for (let index = 0; index < count; index++) {
    clicks.push(await page.evaluate<Click>(`(${CLICK})(document.querySelectorAll('${ROWS}')[${index}])`));
    await page.goBack();
    await settled(page);
  }
  return clicks;
}

async function settled(page: Page): Promise<void> {
  await page.locator('main[aria-busy="false"] .places .entries li').nth(9).waitFor({ timeout: PATIENCE_MS });
}

function rowOf(words: string, clicks: Click[]): (string | number)[] {
  const span = (of: (click: Click) => number) => {
    const sorted = clicks.map(of).sort((one, other) => one - other);
    return `${Math.round(sorted[sorted.length >> 1]!)}, ${Math.round(sorted.at(-1)!)}`;
  };
  const longest = Math.max(...clicks.map(({ longest: own }) => own));
  return [words, span(({ complete }) => complete), span(({ hitQuery }) => hitQuery), Math.round(longest)];
}

void measure();
