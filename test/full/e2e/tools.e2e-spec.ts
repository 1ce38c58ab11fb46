import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../../support/child';
import { ROOT } from '../../support/documentation';
import { freePort } from '../../support/free-port';
import { record, website } from '../../support/sending';
import { size } from '../../support/sizes';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { nameOf, SHARED, Things } from '../../support/things';
import { untilOpen } from '../../support/until-open';
import { OPERATIONS, type VariedRequest } from '../../support/varied-requests';

/** `npm run test:full` and `npm run test:tools` install it. */
const TOOLS = join(ROOT, 'scripts/tools/node_modules');
const OPENAPI = join(ROOT, 'openapi.json');
const REQUESTS = size('TOOL_REQUESTS', 300, 2000);

/** Links in mails, which no test sends here, and what needs a mail server or a delivery that failed. */
const WITHOUT_SUCCESS = /[{:](token|delivery_id)\b|\/report\/send$/;

let service: TestApp;

beforeEach(async () => {
  service = await startApp({ METRICS_TOKEN: FIRST_KEY });
});
afterEach(() => service.stop());

/** A busy machine may be told to come back. */
async function send(address: string, request: VariedRequest, tries = 5): Promise<Response> {
  const { operation, path, headers, body = null } = request;
  const response = await fetch(address + path, {
    method: operation.method,
    headers,
    body,
    redirect: 'manual',
  });
  const again = Number(response.headers.get('Retry-After'));
  if (response.status !== 503 || again === 0 || tries === 1) return response;
  await response.text();
  await sleep(1000 * again);
  return send(address, request, tries - 1);
}

it('a validating proxy has nothing to object to', async () => {
  const site = await website(service.api, { domain: 'example.com' });
  await website(service.api, { domain: SHARED, privacy: 0, share_filters: 1 });
  await record(service.api, site, [{}, { url: 'https://example.com/pricing', event: { name: 'signup' } }]);
  const things = new Things(service.api);
  await things.makeAll();
  const requests = things.requests;

  const port = await freePort();
  const parameters = ['proxy', OPENAPI, service.address, '--errors', '--port', String(port), '-v', 'silent'];
  const proxy = new Child(process.execPath, [join(TOOLS, '.bin/prism'), ...parameters], {});
  const objections: string[] = [];
  const succeeded = new Set<string>();
  try {
    await untilOpen(port);
    for (let sent = 0; sent < REQUESTS; sent++) {
      const request = requests.next();
      const response = await send(`http://127.0.0.1:${port}`, request);
      const text = await response.text();
      const objection = await objectionTo(request, text);
      if (objection)
        objections.push(
          [request.kind, request.operation.method, request.path, request.body, objection].join(' '),
        );
      if (response.ok) succeeded.add(nameOf(request.operation));
      await things.restore(request.operation, response);
    }
  } finally {
    await proxy.stop();
  }
  expect(objections).toEqual([]);
  const others = OPERATIONS.map(nameOf).filter((name) => !succeeded.has(name));
  expect(others.filter((name) => !WITHOUT_SUCCESS.test(name))).toEqual([]);
});

const CHECKS = ['statusSuccess', 'contentType', 'jsonBody', 'schemaValidation', 'headersPresent'];

interface Item {
  request: { method: string; url: { path: string[]; variable: { key: string; value: string }[] } };
  item?: Item[];
}

/** Things are stored, changed, shown and deleted in this order. */
function inTurn(items: Item[]): Item[] {
  const flat = items
    .flatMap((item) => (item.item ? inTurn(item.item) : [item]))
    .filter(({ request }) => !WITHOUT_SUCCESS.test(request.url.path.join('/')));
  const turnOf = ({ request: { method, url } }: Item) => {
    if (method === 'DELETE') return 100 - url.path.length;
    if (method === 'GET' || url.path[0] === 'share') return 50;
    return method === 'POST' ? url.path.length : 49;
  };
  for (const { request } of flat)
    for (const variable of request.url.variable) if (variable.key === 'domain') variable.value = SHARED;
  return flat.sort((one, other) => turnOf(one) - turnOf(other));
}

it("Postman's runner gets what the document says, of each request that Portman makes from it", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-portman-'));
  await website(service.api, { domain: SHARED, privacy: 0, share_filters: 1 });
  try {
    const tests = CHECKS.map((check) => ({ openApiOperation: '*::/*', [check]: { enabled: true } }));
    writeFileSync(
      join(folder, 'portman.json'),
      JSON.stringify({ version: 1, tests: { contractTests: tests } }),
    );
    const [from, to] = [
      ['-l', OPENAPI, '-c', 'portman.json'],
      ['-b', service.address, '-o', 'requests.json'],
    ];
    await run('portman', [...from, ...to], folder);
    const file = join(folder, 'requests.json');
    const requests = JSON.parse(readFileSync(file, 'utf8')) as Item;
    writeFileSync(file, JSON.stringify({ ...requests, item: inTurn(requests.item!) }));
    const key = ['--env-var', `bearerToken=${FIRST_KEY}`];
    await run(
      'newman',
      ['run', file, ...key, '--color', 'off', '--reporter-cli-no-success-assertions'],
      folder,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function run(tool: string, parameters: string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await new Child(join(TOOLS, '.bin', tool), parameters, { cwd }).end();
  if (code !== 0) throw new Error(stdout + stderr);
}

/** What the proxy says about an answer, or about a request that was not meant to be wrong or that the service takes. */
async function objectionTo(request: VariedRequest, text: string): Promise<string | undefined> {
  if (!text.includes('stoplight.io/prism/errors')) return undefined;
  if (request.isRight || text.includes('#VIOLATIONS')) return text;
  const { status } = await send(service.address, request);
  return status < 400 ? `refused by the proxy, and ${status} by the service: ${text}` : undefined;
}
