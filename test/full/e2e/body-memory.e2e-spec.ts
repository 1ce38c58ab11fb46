import { MemoryBudget } from '../../../engine/ground/memory/memory-budget';
import { website } from '../../support/sending';
import { RawSocket } from '../../support/raw-socket';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const MAX_BODY = 16 * 1024;
/** As many bodies as fill the quarter of the memory that one address may use. */
const BODIES = 32;
const ADDRESSES = 4;

let service: TestApp;
const held: RawSocket[] = [];
const take = jest.spyOn(MemoryBudget.prototype, 'take');
const giveBack = jest.spyOn(MemoryBudget.prototype, 'giveBack');
beforeAll(async () => void (service = await startApp({ TRUST_PROXY: '1' })));
afterAll(async () => {
  for (const raw of held) raw.end();
  await service.stop();
  take.mockRestore();
  giveBack.mockRestore();
});

/** The bytes of bodies in memory now. */
function taken(): number {
  const given = take.mock.results.map(({ type }, call) =>
    type === 'return' ? take.mock.calls[call]![1] : 0,
  );
  return sum(given) - sum(giveBack.mock.calls.map(([, bytes]) => bytes));
}
const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

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
  const refused = () => held.filter(({ answer }) => answer.includes('\r\n\r\n'));
  await until(() => taken() === (held.length - refused().length) * MAX_BODY);
  expect(refused().length).toBeGreaterThan(0);
  for (const { answer } of refused()) expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*"code":"overloaded"/);
  const ask = (address: string) =>
    service.api.as(undefined).post(path, {
      body: JSON.stringify({ metrics: ['visitors'], range: '7d' }).padEnd(MAX_BODY),
      type: 'application/json',
      headers: { 'X-Forwarded-For': address },
    });
  // The first answer takes a while, and slow bodies are given up meanwhile.
  const [own, other] = await Promise.all(['198.51.0.7', '203.0.113.9'].map(ask));
  expect(own!.body).toMatchObject({ status: 503, code: 'overloaded' });
  expect(other!.status).toBe(200);
});
