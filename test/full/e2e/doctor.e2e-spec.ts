import { CommandHost } from '../../support/command-host';
import { change } from '../../support/database-access';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { startService } from '../../support/programs';
import { addWaiting, countElsewhereUntil } from '../../support/store-hooks';
import { ApiClient } from '../../support/api-client';
import { website } from '../../support/sending';
import { serve } from '../../support/web-server';

const KEY = 'the-key-of-the-doctor-0000';
const METRICS_TOKEN = 'the-token-of-the-doctor-000';

const host = new CommandHost();
let database: FreshDatabase;
let environment: Record<string, string>;
beforeAll(async () => {
  database = await freshDatabase();
  environment = { DATABASE_URL: database.url, PORT: String(await freePort()), METRICS_TOKEN };
});
afterAll(async () => {
  await host.stop();
  await database.drop();
});

const start = (more = {}) => startService({ ...environment, ...more, BOOTSTRAP_API_KEY: KEY });
/** The lines of the screen, each as its three columns. */
async function doctor(more = {}) {
  const { code, stdout, stderr } = await host.run(['doctor'], { ...environment, ...more });
  const [head, ...lines] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ABOUT +WHAT +FOUND$/);
  expect(stdout + stderr).not.toContain(METRICS_TOKEN);
  return { code, stderr, lines: lines.map((line) => line.split(/ {2,}/)) };
}

it('says what is configured, reachable, waiting and large', async () => {
  const service = await start();
  const { code, lines } = await doctor();
  expect(code).toBe(0);
  expect(lines).toEqual(
    expect.arrayContaining([
      ['configured', 'TIMEZONE', 'UTC'],
      ['configured', 'GEO_DB', "DB-IP's cities"],
      ['configured', 'SMTP_URL', 'not set, so no mail is sent'],
      ['reachable', 'service', `${service.address} is ready`],
      ['reachable', 'client', 'the service sees this command at the address 127.0.0.1'],
      ['reachable', 'database', expect.stringMatching(/^answered in \d+ ms$/)],
      ['waiting', 'hits, days and jobs', 'nothing'],
      ['large', 'database', expect.stringMatching(/^about [\d,.]+ MiB$/)],
    ]),
  );
  expect(lines.length).toBeLessThan(24);
  const warehouse = await doctor({ HITS_URL: 'clickhouse://me:secret@ch.example/old?table=hits' });
  expect(warehouse.lines).toContainEqual([
    'configured',
    'HITS_URL',
    'the table old.hits of clickhouse at ch.example:8123',
  ]);
  await service.program.stop();
});

it('says what address the service sees through a proxy', async () => {
  const service = await start({ TRUST_PROXY: '1' });
  const proxy = await serve((request, response) => {
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'x-forwarded-for': '203.0.113.7' };
    void fetch(service.address + request.url!, { headers }).then(async (answer) => {
      const text = await answer.text();
      response.writeHead(answer.status, {
        'Content-Type': answer.headers.get('Content-Type')!,
        ...(answer.headers.has('Milepost-Client') && {
          'Milepost-Client': answer.headers.get('Milepost-Client')!,
        }),
      });
      response.end(text);
    });
  });
  const seenBy = async (more: object) =>
    (await doctor({ BASE_URL: proxy.address, ...more })).lines.find(([, what]) => what === 'client')![2];
  expect(await seenBy({})).toBe('the service sees this command at the address 203.0.113.7');
  expect(await seenBy({ METRICS_TOKEN: 'another-token-of-the-doctor' })).toMatch(
    'does not say what address it sees (status 401)',
  );
  proxy.close();
  await service.program.stop();
});

it('says what is wrong, last, and fails', async () => {
  const service = await start();
  const { id } = await website(new ApiClient(service.address, KEY));
  await service.program.stop();
  await change(database.url, countElsewhereUntil(id, Date.now() + 20_000));
  await change(database.url, addWaiting([{ websiteId: id, acceptedAt: Date.now() - 60_000 }]));
  const more = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'milepost@example.com' };
  const { code, stderr, lines } = await doctor(more);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/error: \d things are wrong\n$/)]);
  expect(lines).toContainEqual(['waiting', 'hits to be counted', '1']);
  const wrong = lines.filter(([about]) => about === 'wrong');
  expect(lines.slice(-wrong.length)).toEqual(wrong);
  expect(wrong).toEqual(
    expect.arrayContaining([
      ['wrong', 'service', `http://127.0.0.1:${environment.PORT}: no answer`],
      ['wrong', 'mail server', expect.stringContaining('ECONNREFUSED')],
    ]),
  );
});

it('does not wait for a database that cannot be reached', async () => {
  const place = `127.0.0.1:${await freePort()}/milepost`;
  const { code, lines } = await doctor({ DATABASE_URL: `mysql://milepost@${place}` });
  expect(code).toBe(1);
  expect(lines.at(-1)).toEqual([
    'wrong',
    'database',
    `DATABASE_URL: ${place} could not be reached (ECONNREFUSED), giving up`,
  ]);
}, 30_000);
