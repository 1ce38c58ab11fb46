import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { DAY_MS } from '../engine/ground/time/days';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import { openBrowser, type TestBrowser } from '../test/support/browser';
import { DatabaseServer } from '../test/support/database-server';
import { askerOf, at, end, untilInColumns } from './asking';
import { command, KEPT } from './read-data';
import { engine, machine, milepost, record, ROOT, type Server, table } from './service';

const EVENTS = Number(process.env.EVENTS ?? 1_000_000);
/** The 12 months that the page shows, and those that it compares them with. */
const DAYS = Number(process.env.DAYS ?? 730);
/** The stored data depend on the last day. */
const NAME = `pages-${EVENTS}-${DAYS}-${Math.floor(Date.now() / DAY_MS)}`;
const DOMAIN = 'pages.example';
const OWNER = 'bench@example.com';
const STARTS = 5;
/** The first query reads all hits. */
const PATIENCE_MS = 120_000;
const ROWS = '.places .entries .pick';
const COUNTRIES = 10;

/** The page's own measurements of a click, in milliseconds. */
interface Click {
  /** Until everything is painted. */
  complete: number;
  /** From the first query about hits to the end of the answer to the last. */
  queries: number;
  /** The longest task over 50 ms. */
  longest: number;
}

/** Counts the requests of a page that are sent and not yet answered, except those for the live visitors. */
const COUNT_REQUESTS = `
  window.requests = { sent: 0, open: 0 };
  const send = window.fetch;
  window.fetch = (...request) => {
    if (String(request[0]).endsWith('/live')) return send(...request);
    requests.sent++;
    requests.open++;
    return send(...request).finally(() => requests.open--);
  };`;

/** Clicks on a row, and waits until all numbers are filtered, and the comparison, which is requested last, is there. */
const CLICK = `(link) => new Promise((resolve) => {
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: 'longtask' });
  performance.clearResourceTimings();
  const [since, before] = [performance.now(), requests.sent];
  let complete;
  const look = () => {
    const isBusy = document.querySelector('main').getAttribute('aria-busy') === 'true';
    if (isBusy || requests.open > 0 || requests.sent === before) complete = undefined;
    else if (complete === undefined) complete = performance.now() - since;
    else return finish();
    requestAnimationFrame(look);
  };
  const finish = () => {
    const queries = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/query'));
    tasks.push(...observer.takeRecords().map(({ duration }) => duration));
    observer.disconnect();
    const first = Math.min(...queries.map(({ fetchStart }) => fetchStart));
    const last = Math.max(...queries.map(({ responseEnd }) => responseEnd));
    resolve({ complete, queries: last - first, longest: Math.max(0, ...tasks) });
  };
  link.click();
  look();
})`;

/** The time from a click on a country until the owner's page of 12 months, with comparison, is complete. */
async function measure(): Promise<void> {
  const server = engine() !== 'sqlite' ? await startKept() : undefined;
  const url = server ? `${server.url}bench_pages` : `sqlite:${join(KEPT, `${NAME}.sqlite`)}`;
  let service: Server | undefined;
  let browser: TestBrowser | undefined;
  try {
    const key = fill({ ...process.env, DATABASE_URL: url });
    const columns = await untilInColumns(url);
    const [cold, first, another, again]: [Click[], Click[], Click[], Click[]] = [[], [], [], []];
    service = await milepost({ DATABASE_URL: url });
    Object.assign(process.env, await browsers());
    browser = await openBrowser();
    const page = await open(await browser.newPage({ bypassCSP: true }), service, key);
    const { port } = service;
    const restart = async () => {
      await end(service!);
      service = undefined;
      service = await startedAt(port, url, key);
    };
    for (let start = 0; start < STARTS; start++) {
      await restart();
      cold.push(await clickOn(page, start));
      await restart();
      await page.reload();
      await settled(page);
      first.push(await clickOn(page, start));
      for (const row of others(start)) another.push(await clickOn(page, row));
      for (const row of others(start)) again.push(await clickOn(page, row));
    }
    const rows = [
      rowOf('a filter, just after a start, in a page opened before', cold),
      rowOf('the first filter, in a page opened after a start', first),
      rowOf('another filter', another),
      rowOf('the same filter again', again),
    ];
    const head = ['click', 'complete: median, worst ms', 'queries: median, worst ms', 'longest task ms'];
    const size = `${EVENTS.toLocaleString('en')} events in ${DAYS} days. Load average: ${loadavg()[0]!.toFixed(0)}.`;
    record(`pages-${engine()}`, [`${machine()} ${size}`, '', table(head, rows), '', columns].join('\n'));
  } finally {
    await browser?.close();
    if (service) await end(service);
    await server?.stop();
  }
}

async function browsers(): Promise<Record<string, string>> {
  const needs = (await import(join(ROOT, 'test/needs.mjs'))) as { browsers(): Record<string, string> };
  return needs.browsers();
}

async function startKept(): Promise<DatabaseServer> {
  const server = await DatabaseServer.kept(join(KEPT, `${engine()}-${NAME}`), []).start();
  const admin = await connect(new Settings({ DATABASE_URL: `${server.url}mysql` }).database, []);
  await admin.query('CREATE DATABASE IF NOT EXISTS bench_pages');
  await admin.destroy();
  return server;
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

async function open(page: Page, { address }: Server, key: string): Promise<Page> {
  await page.addInitScript(COUNT_REQUESTS);
  await page.request.post(`${address}/console/api/session`, { headers: { Authorization: `Bearer ${key}` } });
  await page.goto(`${address}/?website=1&range=12m`);
  await settled(page);
  return page;
}

/** A service with nothing cached, at the address of the page that stays open. */
async function startedAt(port: number, url: string, key: string): Promise<Server> {
  const service = await milepost({ DATABASE_URL: url, PORT: String(port) });
  await askerOf(service, key);
  return service;
}

/** Clicks on a country, and goes back to the page without filters. */
async function clickOn(page: Page, row: number): Promise<Click> {
  const click = await page.evaluate<Click>(`(${CLICK})(document.querySelectorAll('${ROWS}')[${row}])`);
  await page.goBack();
  await settled(page);
  return click;
}

const others = (row: number) =>
  Array.from({ length: COUNTRIES }, (_, one) => one).filter((one) => one !== row);

async function settled(page: Page): Promise<void> {
  const last = page.locator('main[aria-busy="false"] .places .entries li').nth(COUNTRIES - 1);
  await last.waitFor({ timeout: PATIENCE_MS });
  await page.waitForFunction('requests.open === 0', undefined, { timeout: PATIENCE_MS });
}

function rowOf(words: string, clicks: Click[]): (string | number)[] {
  const span = (of: (click: Click) => number) => {
    const times = clicks.map(of);
    return `${Math.round(Number(at(times, 0.5)))}, ${Math.round(Math.max(...times))}`;
  };
  const longest = Math.max(...clicks.map((click) => click.longest));
  return [words, span(({ complete }) => complete), span(({ queries }) => queries), Math.round(longest)];
}

void measure();
