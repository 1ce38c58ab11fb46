import { execFileSync } from 'node:child_process';
import { createContext, runInContext } from 'node:vm';
import { parse } from 'yaml';
import { ApiClient } from '../../support/api-client';
import { timezoneAtNoon, untilCounted } from '../../support/counted';
import { blockWith } from '../../support/documentation';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { type Service, startService } from '../../support/programs';
import { record, type Site, website } from '../../support/sending';

const PAGE = 'docs/integrations.md';
const KEY = 'the-key-of-the-integrations';
const DAY_MS = 86_400_000;
const TIMEZONE = timezoneAtNoon();
const PAGES = Array.from({ length: 25 }, (_, index) => `/page-${index}`);

let database: FreshDatabase;
let service: Service;
let api: ApiClient;
let site: Site;
beforeAll(async () => {
  database = await freshDatabase();
  const port = String(await freePort());
  const settings = { PORT: port, BOOTSTRAP_API_KEY: KEY, TIMEZONE };
  service = await startService({ DATABASE_URL: database.url, ...settings });
  api = new ApiClient(service.address, KEY);
  site = await website(api, { domain: 'example.com' });
  await record(
    api,
    site,
    PAGES.map((path) => ({ url: `https://example.com${path}` })),
  );
  await untilCounted(api, site.id);
});
afterAll(async () => {
  await service.program.stop();
  await database.drop();
});

const today = () => new Date().toLocaleDateString('sv', { timeZone: TIMEZONE });
const recipe = (language: string, part: string) =>
  blockWith(PAGE, language, part).replaceAll('https://stats.example.com', service.address);

interface Fetched {
  url: string;
  method?: string;
  contentType?: string;
  headers?: Record<string, string>;
  payload?: string;
}

/** Apps Script waits for answers in the middle of a program. */
function fetchAndWait(sent: Fetched): string {
  const program = `
    const { url, method, contentType, headers, payload } = JSON.parse(process.argv[1]);
    const response = await fetch(url, { method, body: payload, headers: { 'Content-Type': contentType, ...headers } });
    if (!response.ok) throw new Error(await response.text());
    process.stdout.write(await response.text());
  `;
  const parameters = ['--input-type=module', '-e', program, JSON.stringify(sent)];
  return execFileSync(process.execPath, parameters, { encoding: 'utf8' });
}

/** The objects of Apps Script, which work as far as the recipes need them. */
function appsScript(sheets: Map<string, unknown[][]>) {
  const sheet = (name: string) => ({
    clearContents: () => sheets.set(name, []),
    getRange: (row: number, column: number, rows: number, columns: number) => ({
      setValues: (values: unknown[][]) => {
        expect([row, column, rows, columns]).toEqual([1, 1, values.length, values[0]!.length]);
        sheets.set(name, values);
      },
    }),
  });
  return createContext({
    UrlFetchApp: {
      fetch: (url: string, options: Omit<Fetched, 'url'>) => {
        const text = fetchAndWait({ url, ...options });
        return { getContentText: () => text };
      },
    },
    PropertiesService: {
      getScriptProperties: () => ({ getProperty: (name: string) => (name === 'MILEPOST_KEY' ? KEY : null) }),
    },
    Utilities: {
      parseCsv: (text: string) =>
        text
          .trim()
          .split('\r\n')
          .map((line) => line.split(',')),
    },
    SpreadsheetApp: {
      getActive: () => ({
        getSheetByName: (name: string) => (sheets.has(name) ? sheet(name) : null),
        insertSheet: (name: string) => sheet(name),
      }),
    },
  });
}

it('Grafana gets a series for the range of its dashboard', async () => {
  const body = recipe('json', '__from')
    .replace('${__from}', String(Date.now() - 7 * DAY_MS))
    .replace('${__to}', String(Date.now()));
  const type = 'application/json';
  const { body: answer } = await api.post(`/api/v1/stats/${site.id}/query`, { body, type });
  expect(answer.data).toHaveLength(8);
  expect(answer.data.at(-1)).toEqual({ day: today(), visitors: 1, pageviews: PAGES.length });
});

it('a Google sheet has the pages', () => {
  const sheets = new Map<string, unknown[][]>();
  const context = appsScript(sheets);
  runInContext(recipe('js', 'function refresh'), context);
  for (let run = 0; run < 2; run++) runInContext('refresh()', context);
  const rows = sheets.get('Milepost')!;
  expect(rows[0]).toEqual(['page', 'visitors', 'pageviews']);
  expect(rows.slice(1).map(([page]) => page)).toEqual(expect.arrayContaining(PAGES));
});

it('Looker Studio gets all rows of the fields that it asks for', () => {
  const context = appsScript(new Map());
  runInContext(recipe('js', 'function getData').replace('1000', '10'), context);
  const { schema } = runInContext('getSchema()', context);
  const fields = ['day', 'pageviews'].map((name) => ({ name }));
  const dateRange = { startDate: today(), endDate: today() };
  const request = { configParams: { id: String(site.id) }, dateRange, fields };
  const data = runInContext(`getData(${JSON.stringify(request)})`, context);
  expect(JSON.parse(JSON.stringify(data))).toEqual({
    schema: [schema[0], schema[4]],
    rows: [{ values: [today().replaceAll('-', ''), PAGES.length] }],
  });
  const ofPages = { ...request, fields: [{ name: 'page' }, { name: 'visitors' }] };
  const { rows } = runInContext(`getData(${JSON.stringify(ofPages)})`, context);
  expect(rows.map(({ values }: any) => values[0]).sort()).toEqual([...PAGES].sort());
});

it('Home Assistant reads the visitors of the last minutes', async () => {
  await record(api, site, [{ url: `https://example.com${PAGES[0]!}` }]);
  await untilCounted(api, site.id);
  const secret = { tag: '!secret', resolve: (name: string) => name === 'milepost_key' && `Bearer ${KEY}` };
  const [sensor] = parse(recipe('yaml', 'platform: rest'), { customTags: [secret] }).sensor;
  const response = await fetch(sensor.resource, { headers: sensor.headers });
  const [, path] = /^\{\{ (\S+) \}\}$/.exec(sensor.value_template)!;
  const context = createContext({ value_json: await response.json() });
  expect(runInContext(path!, context)).toBe(1);
});

it('n8n asks for all pages', async () => {
  const [node] = JSON.parse(recipe('json', 'n8n-nodes-base').replace('"100"', '"10"')).nodes;
  const { url, queryParameters, options } = node.parameters;
  const dayOf = (date: Date) => ({
    minus: ({ days }: { days: number }) => dayOf(new Date(date.getTime() - days * DAY_MS)),
    toISODate: () => date.toISOString().slice(0, 10),
  });
  const valueOf = (text: string, $pageCount = 0, $response?: unknown): any => {
    const [, expression] = /^=\{\{ (.*) \}\}$/.exec(text) ?? [];
    return expression
      ? runInContext(expression, createContext({ $today: dayOf(new Date()), $pageCount, $response }))
      : text;
  };
  const query = queryParameters.parameters.map(({ name, value }: any) => [name, valueOf(value)]);
  const { parameters, completeExpression } = options.pagination.pagination;
  const found: string[] = [];
  for (let pageCount = 0; ; pageCount++) {
    const ofPage = parameters.parameters.map(({ type, name, value }: any) => {
      expect(type).toBe('qs');
      return [name, valueOf(value, pageCount)];
    });
    const sent = new URLSearchParams([...query, ...ofPage]).toString();
    const response = await fetch(`${url}?${sent}`, { headers: { Authorization: `Bearer ${KEY}` } });
    const body = await response.json();
    found.push(...body.data.map(({ value }: any) => value));
    if (valueOf(completeExpression, pageCount, { body })) break;
  }
  expect(found.sort()).toEqual([...PAGES].sort());
});

it('Zapier subscribes, has a sample, and unsubscribes', async () => {
  const context = createContext({ module: { exports: {} }, require: () => ({ version: '18.0.0' }) });
  runInContext(recipe('js', 'performSubscribe'), context);
  const app = context.module.exports;
  const { operation } = app.triggers.goal_reached;
  expect(app).toMatchObject({ version: expect.any(String), platformVersion: expect.any(String) });
  expect(
    (await fetch(app.authentication.test.url, { headers: { Authorization: `Bearer ${KEY}` } })).status,
  ).toBe(200);
  const authData = { key: KEY };
  const z = {
    request: async ({ url, method = 'GET', body }: { url: string; method?: string; body?: object }) => {
      const sent = { url, method, headers: { 'Content-Type': 'application/json' } };
      for (const prepare of app.beforeRequest) prepare(sent, z, { authData });
      const response = await fetch(url, { ...sent, body: body ? JSON.stringify(body) : null });
      return { data: await response.json() };
    },
  };
  const targetUrl = 'https://hooks.example.com/1';
  const stored = await operation.performSubscribe(z, { targetUrl });
  const hooks = async () => (await api.get('/api/v1/webhooks')).body.data;
  expect(await hooks()).toMatchObject([{ id: stored.id, url: targetUrl, events: ['goal.reached'] }]);
  const [sample] = await operation.performList(z);
  expect(sample).toMatchObject({ event: 'goal.reached', goals: [{ name: 'Signup' }] });
  expect(operation.perform(z, { cleanedRequest: sample })).toEqual([sample]);
  await operation.performUnsubscribe(z, { subscribeData: stored });
  expect(await hooks()).toEqual([]);
});
