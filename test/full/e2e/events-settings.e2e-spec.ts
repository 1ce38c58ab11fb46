import { CountingLease } from '../../../engine/columns/leases/counting-lease';
import { CHROME } from '../../support/agents';
import { countsOf } from '../../support/numbers';
import { ACCEPTED, droppedFor, type Headers, send, taken, visit, website } from '../../support/sending';
import { textOfAllTables } from '../../support/tables';
import { startApp, type TestApp } from '../../support/test-app';

let service: TestApp;
const startWith = (environment: Record<string, string>) => {
  beforeAll(async () => void (service = await startApp(environment)));
  afterAll(() => service.stop());
};

describe.each<[string, [requested: unknown[], not: unknown[]]]>([
  ['off', [ACCEPTED, ACCEPTED]],
  ['on', [droppedFor('opt-out'), ACCEPTED]],
])('RESPECT_OPT_OUT=%s', (RESPECT_OPT_OUT, [requested, not]) => {
  startWith({ RESPECT_OPT_OUT });

  it.each<[Headers, unknown[]]>([
    [{ 'Sec-GPC': '1' }, requested],
    [{ DNT: '1' }, requested],
    [{ 'Sec-GPC': '0', DNT: '1' }, requested],
    [{}, not],
    [{ 'Sec-GPC': '0' }, not],
    [{ DNT: 'yes' }, not],
  ])('an event with %j', async (headers, expected) => {
    const site = await website(service.api);
    expect(taken(await visit(service.api, site, headers))).toEqual(expected);
    const counts = expected === ACCEPTED ? { '/': 1 } : {};
    expect(await countsOf(service.api, site.id, 'page')).toEqual(counts);
  });
});

describe.each<[string, [forwarded: string | undefined, believed: string][]]>([
  ['', [['203.0.113.7', '127.0.0.1']]],
  ['0', [['203.0.113.7', '127.0.0.1']]],
  [
    '1',
    [
      [undefined, '127.0.0.1'],
      ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['2001:DB8:0::7', '2001:db8::7'],
      ['203.0.113.7:51234', '203.0.113.7'],
      ['[2001:db8::7]:443', '2001:db8::7'],
      ['"[2001:db8::7]"', '2001:db8::7'],
      ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
      ['203.0.113.9, "_hidden"', '127.0.0.1'],
      ['203.0.113.9, unknown', '127.0.0.1'],
      ['203.0.113.9,', '127.0.0.1'],
      ['nonsense', '127.0.0.1'],
    ],
  ],
  [
    '2',
    [
      ['192.0.2.1, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
      ['203.0.113.7', '203.0.113.7'],
    ],
  ],
  [
    '127.0.0.0/8, 10.0.0.0/8',
    [
      ['198.51.100.1, 203.0.113.7, 10.0.0.5', '203.0.113.7'],
      ['203.0.113.7', '203.0.113.7'],
      ['203.0.113.9, unknown, 10.0.0.5:80', '10.0.0.5'],
      ['198.51.100.1:1, 203.0.113.7:2, 10.0.0.5:3', '203.0.113.7'],
    ],
  ],
  ['10.0.0.0/8', [['203.0.113.7', '127.0.0.1']]],
])('TRUST_PROXY=%s', (TRUST_PROXY, cases) => {
  startWith({ TRUST_PROXY });

  it.each(cases)('X-Forwarded-For: %s means %s', async (forwarded, believed) => {
    const site = await website(service.api, { exclude_ips: believed });
    const headers: Headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
    expect(taken(await visit(service.api, site, headers))).toEqual(droppedFor('ip'));
  });
});

describe.each([
  ['', 1],
  ['10.0.0.0/8', 1],
  ['0', 0],
  ['1', 0],
])('TRUST_PROXY=%s', (TRUST_PROXY, warnings) => {
  startWith({ TRUST_PROXY });

  it(`warns of what is forwarded by a stranger ${warnings} times`, async () => {
    const site = await website(service.api);
    for (let time = 0; time < 3; time++) await visit(service.api, site, { 'X-Forwarded-For': '203.0.113.7' });
    expect(service.logs.filter((line) => line.includes('Set TRUST_PROXY'))).toHaveLength(warnings);
    expect(service.logs.join()).not.toContain('127.0.0.1');
  });
});

describe('an address and a user agent', () => {
  const addresses = ['198.51.100.77', '2001:db8:77::1'];
  const agent = CHROME.replace('124.0.0.0', '124.0.7777.77').replace('Win64', 'Quokka');
  const secrets = [...addresses, '124.0.7777.77', 'Quokka'];
  startWith({ TRUST_PROXY: '1', LOG_LEVEL: 'debug' });

  it('stand in no table and no log', async () => {
    const { api, database, logs } = service;
    const site = await website(api);
    const lease = await CountingLease.take(database, site.id, 'another process');
    for (const address of addresses) {
      const headers = { 'User-Agent': agent, 'X-Forwarded-For': address };
      expect(taken(await visit(api, site, headers))).toEqual(ACCEPTED);
      await send(api, { url: `https://${site.domain}/`, screen: 'x' }, headers);
      await visit(api, { domain: 'unregistered.example' }, headers);
    }
    const waiting = await textOfAllTables(database);
    await lease!.release();
    expect(await countsOf(api, site.id, 'browser')).toEqual({ Chrome: 2 });
    const archived = await textOfAllTables(database);
    for (const text of [waiting, archived]) expect(text).toContain('Chrome');
    for (const text of [waiting, archived, logs.join()])
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
});
