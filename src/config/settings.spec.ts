import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { DEFAULT_RATE_LIMITS } from './rate-limits';
import { SettingError } from '../../engine/ground/setting-error';
import { Settings } from './settings';

const read = (environment: Record<string, string>) => new Settings(environment);

it('has a default for everything', () => {
  expect({ ...read({}) }).toEqual({
    database: { kind: 'sqlite', path: resolve('data/milepost.sqlite') },
    host: '127.0.0.1',
    port: 3000,
    baseUrl: undefined,
    bootstrapApiKey: undefined,
    secretFile: resolve('data/secret'),
    keyFolder: resolve('data'),
    trustProxy: undefined,
    clientIpHeader: undefined,
    webhookAllow: [],
    timezone: 'UTC',
    respectOptOut: false,
    rateLimits: DEFAULT_RATE_LIMITS,
    rpcUrls: [],
    logLevel: 'info',
    archiveDays: undefined,
    statsDays: undefined,
    newValuesPerDay: 250_000,
    geoDb: undefined,
    allowLocalDomains: true,
    cacheMb: 128,
    corsOrigins: [],
    smtp: undefined,
    mailFrom: undefined,
    reports: 'off',
    mailRate: 300,
    metricsToken: undefined,
  });
});

it('has its data in MILEPOST_DATA, unless a setting says otherwise', () => {
  const MILEPOST_DATA = '/srv/with ? and %20';
  expect(read({ MILEPOST_DATA })).toMatchObject({
    database: { kind: 'sqlite', path: `${MILEPOST_DATA}/milepost.sqlite` },
    secretFile: `${MILEPOST_DATA}/secret`,
    keyFolder: MILEPOST_DATA,
  });
  const SECRET_FILE = '/run/secrets/milepost';
  const server = { DATABASE_URL: 'mysql://a:b@db/name' };
  expect(read({ MILEPOST_DATA, SECRET_FILE, ...server })).toMatchObject({
    secretFile: SECRET_FILE,
    keyFolder: MILEPOST_DATA,
  });
  expect(read({ SECRET_FILE, ...server }).keyFolder).toBe('/run/secrets');
  expect(read({ MILEPOST_DATA, DATABASE_URL: 'sqlite:/else/a.sqlite' }).keyFolder).toBe('/else');
  expect(read({ MILEPOST_DATA: 'relative' }).secretFile).toBe(resolve('relative/secret'));
  expect(() => read({ MILEPOST_DATA: __filename })).toThrow('MILEPOST_DATA');
});

it('takes an empty variable for one that is not set', () => {
  expect({ ...read({ PORT: '', TIMEZONE: ' ', TRUST_PROXY: '' }) }).toEqual({ ...read({}) });
});

it.each<[string, string, keyof Settings, unknown]>([
  ['PORT', '0', 'port', 0],
  ['HOST', '::', 'host', '::'],
  ['BASE_URL', 'https://stats.example.com/', 'baseUrl', 'https://stats.example.com'],
  ['SECRET_FILE', '/run/secrets/milepost', 'secretFile', '/run/secrets/milepost'],
  ['TRUST_PROXY', '2', 'trustProxy', 2],
  ['TRUST_PROXY', '10.0.0.0/8, ::1', 'trustProxy', ['10.0.0.0/8', '::1']],
  ['WEBHOOK_ALLOW', '10.1.0.0/16, ::1', 'webhookAllow', ['10.1.0.0/16', '::1']],
  ['TIMEZONE', 'Europe/Berlin', 'timezone', 'Europe/Berlin'],
  ['RESPECT_OPT_OUT', 'on', 'respectOptOut', true],
  ['RATE_LIMIT', 'off', 'rateLimits', undefined],
  ['RATE_LIMIT', 'on', 'rateLimits', DEFAULT_RATE_LIMITS],
  ['LOG_LEVEL', 'debug', 'logLevel', 'debug'],
  ['ARCHIVE_DAYS', '365', 'archiveDays', 365],
  ['CACHE_MB', '64', 'cacheMb', 64],
  ['METRICS_TOKEN', `${'!~'.repeat(12)}`, 'metricsToken', '!~'.repeat(12)],
  [
    'CORS_ORIGINS',
    'https://a.example, http://localhost:8080',
    'corsOrigins',
    ['https://a.example', 'http://localhost:8080'],
  ],
  ['DATABASE_URL', 'sqlite:/var/lib/m.sqlite', 'database', { kind: 'sqlite', path: '/var/lib/m.sqlite' }],
])('reads %s=%s', (variable, text, setting, value) => {
  expect(read({ [variable]: text })[setting]).toEqual(value);
});

it('reads one rate for all budgets, or rates for some', () => {
  const limit = { requests: 100, seconds: 1 };
  expect(read({ RATE_LIMIT: '100/1' }).rateLimits).toEqual({
    management: limit,
    statistics: limit,
    events: limit,
  });
  const some = read({ RATE_LIMIT: 'events=100/1, statistics=5/10' }).rateLimits;
  expect(some).toEqual({
    ...DEFAULT_RATE_LIMITS,
    events: limit,
    statistics: { requests: 5, seconds: 10 },
  });
});

it('reads an address of MySQL with its escapes', () => {
  expect(read({ DATABASE_URL: 'mysql://us%40er:p%2Fw%3A@[::1]/name' }).database).toEqual({
    kind: 'mysql',
    host: '::1',
    port: 3306,
    user: 'us@er',
    password: 'p/w:',
    name: 'name',
    tls: undefined,
    readers: 10,
    writers: 10,
  });
});

const folder = mkdtempSync(join(tmpdir(), 'milepost-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const CA = join(folder, 'ca.pem');
const CERTIFICATE = rootCertificates[0]!;
writeFileSync(CA, CERTIFICATE);

it.each<[string, Record<string, string>, unknown]>([
  ['host?ssl=true', {}, { ca: undefined, verifyHost: true }],
  ['host?ssl=required', {}, { ca: undefined, verifyHost: true }],
  ['[::1]?ssl=verify-ca', {}, { ca: undefined, verifyHost: false }],
  ['host', { DATABASE_CA: CA }, { ca: CERTIFICATE, verifyHost: true }],
  ['host?ssl=verify-ca', { DATABASE_CA: CA }, { ca: CERTIFICATE, verifyHost: false }],
])('asks for TLS with %s and %p', (place, others, tls) => {
  const [host, search = ''] = place.split('?');
  const url = `mysql://user:word@${host}/name?${search}`;
  expect(read({ DATABASE_URL: url, ...others }).database).toMatchObject({ tls });
});

it('reads how many connections there may be', () => {
  const url = 'mysql://user:word@host/name';
  const sizes = { DATABASE_READERS: '4', DATABASE_WRITERS: '32' };
  expect(read({ DATABASE_URL: url, ...sizes }).database).toMatchObject({ readers: 4, writers: 32 });
});

it('reads the transports of messages', () => {
  const url =
    'tcp://127.0.0.1:4000  nats://u:p%40@broker:4223 tls://broker redis://:pw@[::1]/2 rediss://r amqp://guest:guest@rabbit/';
  expect(read({ RPC_URL: url }).rpcUrls).toEqual([
    { kind: 'tcp', host: '127.0.0.1', port: 4000, tls: undefined },
    { kind: 'nats', server: 'broker:4223', user: 'u', password: 'p@', tls: false },
    { kind: 'nats', server: 'broker:4222', tls: true },
    { kind: 'redis', host: '::1', port: 6379, db: 2, password: 'pw', tls: false },
    { kind: 'redis', host: 'r', port: 6379, db: 0, tls: true },
    { kind: 'amqp', url: 'amqp://guest:guest@rabbit/' },
  ]);
});

it('names everything that is wrong at once, one a line', () => {
  const wrong = { PORT: 'x', TIMEZONE: 'Mars', GEO_DB: '/no', LOG_LEVEL: 'loud', HOST: '::' };
  expect(() => read(wrong)).toThrow(/^PORT: .+\nTIMEZONE: .+\nLOG_LEVEL: .+\nGEO_DB: \/no .*ENOENT.*$/);
});

it.each([
  ['PORT', '1e3'],
  ['PORT', '080'],
  ['PORT', '-1'],
  ['BASE_URL', 'ftp://a.example'],
  ['BASE_URL', 'https://a.example/?q'],
  ['TRUST_PROXY', '10.0.0.0/8,nonsense'],
  ['WEBHOOK_ALLOW', '10.0.0.0/33'],
  ['WEBHOOK_ALLOW', 'localhost'],
  ['TRUST_PROXY', '10.0.0.0/'],
  ['TRUST_PROXY', '10.0.0.0/8,0.0.0.0/0'],
  ['TRUST_PROXY', '::/0'],
  ['TRUST_PROXY', 'true'],
  ['RATE_LIMIT', '0/60'],
  ['RATE_LIMIT', 'fast'],
  ['RATE_LIMIT', 'exports=1/60'],
  ['RATE_LIMIT', 'events=1/60=2'],
  ['RATE_LIMIT', 'events='],
  ['ARCHIVE_DAYS', '1.5'],
  ['NEW_VALUES_PER_DAY', '0'],
  ['BOOTSTRAP_API_KEY', 'with blank with blank with blank'],
  ['DATABASE_URL', 'sqlite:'],
  ['DATABASE_URL', 'mysql://user:word@host'],
  ['DATABASE_URL', 'mysql://user:word@host/a/b'],
  ['DATABASE_URL', 'mysql://user:word@host/name?ssl=1'],
  ['DATABASE_URL', 'mysql://user:word@host/name?tls=true'],
  ['DATABASE_URL', 'mysql://user:word@host/name?ssl=true&ssl=false'],
  ['DATABASE_URL', 'mysql://user:word@10.0.0.1/name?ssl=true'],
  ['DATABASE_CA', '/no'],
  ['DATABASE_CA', __filename],
  ['DATABASE_READERS', '1'],
  ['DATABASE_WRITERS', '1001'],
  ['GEO_DB', '/no'],
  ['RPC_URL', 'http://127.0.0.1:4000'],
  ['RPC_URL', 'tcp://127.0.0.1'],
  ['RPC_URL', 'tcp://127.0.0.1:4000?cert=/no'],
  ['RPC_URL', 'tcp://127.0.0.1:4000?cert=/no&key=/no'],
  ['RPC_URL', 'redis://host/name'],
  ['GEO_DB', __dirname],
])('refuses %s=%s and names it', (variable, text) => {
  const start = () => read({ [variable]: text });
  expect(start).toThrow(SettingError);
  expect(start).toThrow(new RegExp(`^${variable}: [^\n]+$`));
});

it.each(['BOOTSTRAP_API_KEY', 'DATABASE_URL', 'RPC_URL'])(
  'does not repeat %s, which may be secret',
  (variable) => {
    expect(() => read({ [variable]: 'a secret word' })).toThrow(/^(?!.*a secret word)/);
  },
);

it('takes local domains unless it runs in production or is told otherwise', () => {
  expect(read({ NODE_ENV: 'production' }).allowLocalDomains).toBe(false);
  expect(read({ NODE_ENV: 'production', ALLOW_LOCAL_DOMAINS: 'on' }).allowLocalDomains).toBe(true);
  expect(read({ ALLOW_LOCAL_DOMAINS: 'off' }).allowLocalDomains).toBe(false);
});
