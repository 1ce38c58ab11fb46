import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Settings } from '../../config/settings';
import { ClientAddress } from './client-address';

let server: Server;
let addresses: ClientAddress;
beforeAll(async () => {
  server = createServer((asked, response) => response.end(addresses.of(asked))).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const use = (settings: Record<string, string>) => (addresses = new ClientAddress(new Settings(settings)));

async function seen(headers: Record<string, string | string[]>): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const asking = request({ port, host: '127.0.0.1', headers, agent: false }).end();
  const [response] = (await once(asking, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const piece of response) text += String(piece);
  return text;
}

const PEER = '127.0.0.1';

describe('with CLIENT_IP_HEADER', () => {
  beforeEach(() => use({ CLIENT_IP_HEADER: 'CF-Connecting-IP', TRUST_PROXY: '127.0.0.0/8' }));

  it.each<[string | string[], string]>([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['', PEER],
    ['unknown', PEER],
    ['203.0.113.7, 203.0.113.8', PEER],
    ['203.0.113.7,', PEER],
    ['203.0.113.256', PEER],
    ['0x7f.1', PEER],
    ['203.0.113.7/32', PEER],
    ['203.0.113.7 203.0.113.8', PEER],
    ["203.0.113.7' OR 1=1", PEER],
    ['9'.repeat(4000), PEER],
    [['203.0.113.7', '203.0.113.8'], PEER],
    [['203.0.113.7', '203.0.113.7'], PEER],
  ])('takes %j for %s', async (sent, address) => {
    expect(await seen({ 'cf-connecting-ip': sent })).toBe(address);
  });

  it('never reads X-Forwarded-For', async () => {
    expect(await seen({ 'x-forwarded-for': '203.0.113.9' })).toBe(PEER);
    expect(await seen({ 'x-forwarded-for': '203.0.113.9', 'CF-CONNECTING-IP': '203.0.113.7' })).toBe(
      '203.0.113.7',
    );
  });

  it('counts a header twice that Node.js would take for one', async () => {
    use({ CLIENT_IP_HEADER: 'From', TRUST_PROXY: '1' });
    expect(await seen({ from: ['203.0.113.7', '203.0.113.8'] })).toBe(PEER);
    expect(await seen({ from: '203.0.113.7' })).toBe('203.0.113.7');
  });

  it('ignores the header of anyone but the proxy', async () => {
    use({ CLIENT_IP_HEADER: 'cf-connecting-ip', TRUST_PROXY: '10.0.0.0/8' });
    expect(await seen({ 'cf-connecting-ip': '203.0.113.7' })).toBe(PEER);
  });
});

it('reads X-Forwarded-For from the right without it, and no other header', async () => {
  use({ TRUST_PROXY: '1' });
  expect(
    await seen({ 'x-forwarded-for': '203.0.113.1, 203.0.113.7', 'cf-connecting-ip': '203.0.113.9' }),
  ).toBe('203.0.113.7');
});

it.each([
  [{ CLIENT_IP_HEADER: 'cf-connecting-ip' }, 'needs TRUST_PROXY'],
  [{ CLIENT_IP_HEADER: 'cf-connecting-ip', TRUST_PROXY: '0' }, 'needs TRUST_PROXY'],
  [{ CLIENT_IP_HEADER: 'X-Forwarded-For', TRUST_PROXY: '1' }, 'is a list'],
  [{ CLIENT_IP_HEADER: 'cf connecting', TRUST_PROXY: '1' }, 'is not the name of a header'],
])('refuses %j', (settings, message) => {
  expect(() => use(settings)).toThrow(message);
});
