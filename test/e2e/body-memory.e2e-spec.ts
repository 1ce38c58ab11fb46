import { website } from '../support/sending';
import { RawSocket } from '../support/raw-socket';
import { startApp, type TestApp } from '../support/test-app';

const MAX_BODY = 16 * 1024;
/** So many bodies of one address fill a quarter of the memory for questions without a key. */
const BODIES = 32;
const ADDRESSES = 4;

let service: TestApp;
const held: RawSocket[] = [];
beforeAll(async () => void (service = await startApp({ TRUST_PROXY: '1' })));
afterAll(async () => {
  for (const raw of held) raw.end();
  await service.stop();
});

it('lets others ask while a few addresses hold as many slow bodies as they may', async () => {
  const { domain } = await website(service.api, { privacy: 0 });
  const path = `/share/${domain}/api/query`;
  for (let index = 0; index < ADDRESSES * BODIES; index++) {
    const raw = new RawSocket(service.address);
    held.push(raw);
    raw.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.${index % ADDRESSES}.7\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${MAX_BODY + 1}\r\n\r\n${' '.repeat(MAX_BODY)}`,
    );
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { status } = await service.api.as(undefined).post(path, {
    json: { metrics: ['visitors'], range: '7d' },
    headers: { 'X-Forwarded-For': '203.0.113.9' },
  });
  expect(status).toBe(200);
});
