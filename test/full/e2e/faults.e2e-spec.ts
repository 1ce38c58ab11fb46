import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../../support/api-client';
import { Child } from '../../support/child';
import { expectCountedOnce, timezoneAtNoon } from '../../support/counted';
import { DatabaseServer } from '../../support/database-server';
import { freePort } from '../../support/free-port';
import { engine, freshDatabase } from '../../support/fresh-database';
import { LoadClients, type Website } from '../../support/load-clients';
import { cli, type Service, startService } from '../../support/programs';
import { size } from '../../support/sizes';
import { SMALL_FILES, SmallDisk } from '../../support/small-disk';
import { realNow, until } from '../../support/until';

const MINUTES = size('FAULT_MINUTES', 1, 60);
const KEY = 'a-key-that-the-operator-chose';
const CLIENTS = 4;
/** Leases last four seconds, so some faults outlive them. */
const LONGEST_FREEZE_MS = 8000;
const LONGEST_MS = 3000;
/** Shorter than ids of events are remembered. */
const FARTHEST_JUMP_S = 1800;
const WRITES = 'pwrite64,fsync,fdatasync,ftruncate';

const random = (most: number) => Math.floor(Math.random() * most);
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)]!;

/** A process of the service with a port and a clock of its own, which starts anew where it was killed. */
class Instance {
  private service: Service | undefined;
  private starting: Promise<void> = Promise.resolve();
  private readonly clock = join(mkdtempSync(join(tmpdir(), 'milepost-clock-')), 'offset');

  constructor(
    private readonly url: string,
    private readonly port: number,
  ) {
    this.jump(0);
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.service?.program.pid;
  }

  start(): Promise<void> {
    return (this.starting = this.launch());
  }

  async kill(): Promise<void> {
    await this.starting;
    await this.service?.program.stop('SIGKILL');
    this.service = undefined;
  }

  signal(signal: NodeJS.Signals): void {
    this.service?.program.signal(signal);
  }

  expectRunning(): void {
    this.service?.program.expectRunning();
  }

  /** Sets its clock ahead or back. */
  jump(seconds: number): void {
    writeFileSync(this.clock, `${seconds < 0 ? '' : '+'}${seconds}`);
  }

  private async launch(): Promise<void> {
    this.service = await startService({
      DATABASE_URL: this.url,
      PORT: String(this.port),
      BOOTSTRAP_API_KEY: KEY,
      TIMEZONE: timezone,
      LOG_LEVEL: 'warn',
      LD_PRELOAD: process.env.FAKETIME_LIBRARY!,
      FAKETIME_TIMESTAMP_FILE: this.clock,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    });
  }
}

const timezone = timezoneAtNoon();
const cleanUps: (() => unknown)[] = [];
const instances: Instance[] = [];
let disk: SmallDisk;
let server: DatabaseServer | undefined;
let url: string;

beforeAll(async () => {
  disk = SmallDisk.mount(MINUTES > 1 ? '2g' : undefined)!;
  cleanUps.push(() => disk.unmount());
  if (engine === 'server') {
    server = await new DatabaseServer(disk.folder, SMALL_FILES).start();
    cleanUps.push(() => server!.remove());
  }
  url = server ? (await freshDatabase(server.url)).url : `sqlite:${disk.folder}/milepost.sqlite`;
  for (let count = server ? 2 : 1; count > 0; count--) instances.push(new Instance(url, await freePort()));
  for (const instance of instances) await instance.start();
});
afterAll(async () => {
  for (const instance of instances) {
    instance.signal('SIGCONT');
    await instance.kill();
  }
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** What writes to the disk. */
const writerPid = () => server?.pid ?? instances[0]!.pid;

/** Injects into each system call that writes. A process that cannot bear it has died then. */
async function injecting(what: string): Promise<void> {
  const pid = writerPid();
  if (pid === undefined) return;
  const inject = ['-e', `trace=${WRITES}`, '-e', `inject=${WRITES}:${what}`];
  const tracer = new Child('strace', ['-f', '-q', '-o', '/dev/null', '-p', String(pid), ...inject], {});
  await sleep(200 + random(LONGEST_MS));
  await tracer.stop('SIGINT');
}

async function frozen(process: { signal: (signal: NodeJS.Signals) => void }): Promise<void> {
  process.signal('SIGSTOP');
  await sleep(random(LONGEST_FREEZE_MS));
  process.signal('SIGCONT');
}

const FAULTS: Record<string, () => Promise<void>> = {
  'a process is killed': async () => {
    const instance = oneOf(instances);
    await instance.kill();
    await sleep(random(LONGEST_MS));
    await instance.start();
  },
  'a process is frozen': () => frozen(oneOf(instances)),
  'a clock jumps': async () => {
    const instance = oneOf(instances);
    instance.jump(random(2 * FARTHEST_JUMP_S) - FARTHEST_JUMP_S);
    await sleep(random(LONGEST_MS));
    instance.jump(0);
  },
  'the disk is full': async () => {
    disk.fill();
    await sleep(random(LONGEST_MS));
    disk.free();
  },
  'the disk is slow': () => injecting('delay_enter=30000'),
  'the disk can only be read': () => injecting('error=EROFS'),
  ...(engine === 'server' && {
    'the database is killed': async () => {
      await server!.kill();
      await sleep(random(LONGEST_MS));
      await server!.start();
    },
    'the database is frozen': () => frozen(server!),
  }),
};

/** Waits until a further event is acknowledged. A server that could not write ends, some time later. */
function untilTaken(crowd: LoadClients): Promise<boolean> {
  const before = crowd.acknowledged.size;
  return until(async () => {
    if (server && !server.isRunning()) await server.start();
    for (const instance of instances) instance.expectRunning();
    return crowd.acknowledged.size > before;
  }, 50);
}

const statusOf = (instance: Instance) =>
  new ApiClient(instance.address, KEY).get('/health/ready').then(
    ({ status }) => status,
    () => undefined,
  );
const untilReady = (instance: Instance) => until(async () => (await statusOf(instance)) === 200, 100);

async function registered(api: ApiClient): Promise<Website> {
  return until(async () => {
    const { status, body } = await api.post('/api/v1/websites', { form: { domain: 'faults.example' } });
    return status === 201 && (body.data as Website);
  });
}

/** Reads again and again, and keeps the statuses. */
class Reader {
  readonly statuses = new Set<number | undefined>();
  private isEnding = false;
  private readonly reading: Promise<void>;

  constructor(private readonly path: string) {
    this.reading = this.readOn();
  }

  end(): Promise<void> {
    this.isEnding = true;
    return this.reading;
  }

  private async readOn(): Promise<void> {
    while (!this.isEnding) {
      const answer = await new ApiClient(oneOf(instances).address, KEY).get(this.path).catch(() => undefined);
      this.statuses.add(answer?.status);
      await sleep(50);
    }
  }
}

it('loses no acknowledged event and counts none twice, whatever happens to processes, clocks and disks', async () => {
  const api = new ApiClient(instances[0]!.address, KEY);
  const website = await registered(api);
  const crowd = new LoadClients(website, KEY, () => oneOf(instances).address, 5000);
  const reader = new Reader(`/api/v1/stats/${website.id}?name=pageview&from=1970-01-01&to=9999-12-31`);
  const happened: Record<string, number> = {};
  crowd.start(CLIENTS);
  await crowd.untilAcknowledged(10);
  const ends = realNow() + MINUTES * 60_000;
  while (realNow() < ends) {
    const [name, happens] = oneOf(Object.entries(FAULTS));
    happened[name] = (happened[name] ?? 0) + 1;
    if (MINUTES > 1) console.log(new Date().toISOString(), name);
    await happens();
    await untilTaken(crowd);
  }
  await Promise.all(instances.map(untilReady));
  await crowd.stop();
  await reader.end();
  if (MINUTES > 1)
    console.log({ happened, acknowledged: crowd.acknowledged.size, unanswered: crowd.unanswered.size });
  expect(Object.keys(happened).length).toBeGreaterThan(1);
  for (const status of [...crowd.statuses, ...reader.statuses])
    expect([200, 202, 429, 503, undefined]).toContain(status);
  await expectCountedOnce(api, website.id, crowd);
  await crowd.sendAgain();
  expect([...crowd.unanswered].filter(({ id }) => id !== undefined)).toEqual([]);
  await expectCountedOnce(api, website.id, crowd);
  for (const what of ['stats', 'hits'])
    expect(await cli([what, 'verify'], { DATABASE_URL: url, TIMEZONE: timezone })).toMatchObject({ code: 0 });
});
