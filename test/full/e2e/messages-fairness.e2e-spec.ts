import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { UsersService } from '../../../src/users/users.service';
import { engine, type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { untilLocksAreAwaited } from '../../support/lock-waits';
import { freePort } from '../../support/free-port';
import { website } from '../../support/sending';
import { PATIENCE_MS } from '../../support/until';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';

let database: FreshDatabase;
let service: TestApp;
let port: number;
const callers: Caller[] = [];
beforeAll(async () => {
  port = await freePort();
  database = await freshDatabase();
  service = await startApp({
    DATABASE_URL: database.url,
    RPC_URL: `tcp://127.0.0.1:${port}`,
    RATE_LIMIT: 'management=100000/60',
  });
});
afterAll(async () => {
  for (const { socket } of callers) socket.destroy();
  await service.stop();
  await database.drop();
});

/** One connection, with the answers that it received. */
class Caller {
  readonly answers: any[] = [];
  private received = '';

  private constructor(
    readonly socket: Socket,
    private readonly key: string,
  ) {
    socket.setEncoding('utf8').on('data', (text: string) => this.read(text));
  }

  static async connect(key: string, localAddress = '127.0.0.1'): Promise<Caller> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    await once(socket, 'connect');
    const caller = new Caller(socket, key);
    callers.push(caller);
    return caller;
  }

  send(times = 1, pattern = 'websites.list', fields: object = {}): void {
    const packet = JSON.stringify({ id: '1', pattern, data: { key: this.key, ...fields } });
    this.socket.write(`${packet.length}#${packet}`.repeat(times));
  }

  async answered(count: number): Promise<any> {
    while (this.answers.length < count) await once(this.socket, 'data');
    return this.answers.at(-1);
  }

  private read(text: string): void {
    this.received += text;
    for (let end: number; (end = this.received.indexOf('#')) > 0;) {
      const length = Number(this.received.slice(0, end));
      const json = this.received.slice(end + 1, end + 1 + length);
      if (json.length < length) return;
      this.received = this.received.slice(end + 1 + length);
      this.answers.push(JSON.parse(json));
    }
  }
}

const anotherKey = async (email: string) => (await service.app.get(UsersService).create(email))!;

it('answers others while one caller has thousands of messages waiting', async () => {
  const many = await Caller.connect(FIRST_KEY);
  const other = await Caller.connect(await anotherKey('other@example.com'));
  for (const caller of [many, other]) {
    caller.send();
    await caller.answered(1);
  }
  many.send(3000);
  await many.answered(2);
  other.send();
  expect((await other.answered(2)).response.data).toEqual([]);
  expect(many.answers.length).toBeLessThan(1000);
  await many.answered(3001);
});

it('counts wrong keys by the address that sends them', async () => {
  const guesser = await Caller.connect('a-key-that-was-revoked-long-ago', '127.0.0.2');
  guesser.send(25);
  expect((await guesser.answered(25)).err).toMatchObject({ status: 429 });
  const key = await service.app
    .get(ApiKeysService)
    .create(1, { name: 'new', scope: 'read', expiresAt: null });
  const honest = await Caller.connect(key);
  honest.send();
  expect(await honest.answered(1)).toMatchObject({ response: { data: [] } });
});

if (engine === 'server')
  it('leaves write connections to others while the changes of one user wait for a lock', async () => {
    const site = await website(service.api);
    const other = await service.anotherUser();
    const siteOfOther = await website(other);
    const many = await Caller.connect(FIRST_KEY);
    many.send();
    await many.answered(1);
    await service.database.write(async (manager) => {
      await manager.query('UPDATE websites SET id = id WHERE id = ?', [site.id]);
      const filters = [['is', 'page', ['/thanks']]];
      many.send(30, 'goals.store', { website_id: site.id, name: 'Signup', filters });
      await untilLocksAreAwaited(database.url, 'UPDATE websites', 3);
      const path = `/api/v1/websites/${siteOfOther.id}/annotations`;
      for (let time = 0; time < 3; time++)
        expect((await other.post(path, { json: { text: 'Deployed' } })).status).toBe(201);
    }, PATIENCE_MS);
    await many.answered(31);
  });
