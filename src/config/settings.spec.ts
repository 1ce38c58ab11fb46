import { resolve } from 'node:path';
import { SettingError, Settings } from './settings';

const read = (environment: Record<string, string>) => new Settings(environment);

it('has a default for everything', () => {
  expect({ ...read({}) }).toEqual({
    database: { kind: 'sqlite', path: resolve('data/milepost.sqlite') },
    host: '127.0.0.1',
    port: 3000,
    baseUrl: undefined,
    bootstrapApiKey: undefined,
    trustProxy: undefined,
    timezone: 'UTC',
    respectOptOut: false,
    rateLimit: { requests: 600, seconds: 60 },
    logLevel: 'info',
    archiveDays: undefined,
    statsDays: undefined,
    geoDb: undefined,
  });
});

it('takes an empty variable for one that is not set', () => {
  expect({ ...read({ PORT: '', TIMEZONE: ' ', TRUST_PROXY: '' }) }).toEqual({ ...read({}) });
});

it.each<[string, string, keyof Settings, unknown]>([
  ['PORT', '0', 'port', 0],
  ['HOST', '::', 'host', '::'],
  ['BASE_URL', 'https://stats.example.com/', 'baseUrl', 'https://stats.example.com'],
  ['TRUST_PROXY', '2', 'trustProxy', 2],
  ['TRUST_PROXY', '10.0.0.0/8, ::1', 'trustProxy', ['10.0.0.0/8', '::1']],
  ['TIMEZONE', 'Europe/Berlin', 'timezone', 'Europe/Berlin'],
  ['RESPECT_OPT_OUT', 'on', 'respectOptOut', true],
  ['RATE_LIMIT', 'off', 'rateLimit', undefined],
  ['RATE_LIMIT', '100/1', 'rateLimit', { requests: 100, seconds: 1 }],
  ['LOG_LEVEL', 'debug', 'logLevel', 'debug'],
  ['ARCHIVE_DAYS', '365', 'archiveDays', 365],
  ['DATABASE_URL', 'sqlite:/var/lib/m.sqlite', 'database', { kind: 'sqlite', path: '/var/lib/m.sqlite' }],
])('reads %s=%s', (variable, text, setting, value) => {
  expect(read({ [variable]: text })[setting]).toEqual(value);
});

it('reads an address of MySQL with its escapes', () => {
  expect(read({ DATABASE_URL: 'mysql://us%40er:p%2Fw%3A@[::1]/name' }).database).toEqual({
    kind: 'mysql',
    host: '::1',
    port: 3306,
    user: 'us@er',
    password: 'p/w:',
    name: 'name',
  });
});

it.each([
  ['PORT', '1e3'],
  ['PORT', '080'],
  ['PORT', '-1'],
  ['BASE_URL', 'ftp://a.example'],
  ['BASE_URL', 'https://a.example/?q'],
  ['TRUST_PROXY', '10.0.0.0/8,nonsense'],
  ['TRUST_PROXY', '10.0.0.0/'],
  ['TRUST_PROXY', 'true'],
  ['RATE_LIMIT', '0/60'],
  ['ARCHIVE_DAYS', '1.5'],
  ['BOOTSTRAP_API_KEY', 'with blank with blank with blank'],
  ['DATABASE_URL', 'sqlite:'],
  ['DATABASE_URL', 'mysql://user:word@host'],
  ['DATABASE_URL', 'mysql://user:word@host/a/b'],
  ['DATABASE_URL', 'mysql://user:word@host/name?ssl=1'],
])('refuses %s=%s and names it', (variable, text) => {
  const start = () => read({ [variable]: text });
  expect(start).toThrow(SettingError);
  expect(start).toThrow(new RegExp(`^${variable}: [^\n]+$`));
});

it.each(['BOOTSTRAP_API_KEY', 'DATABASE_URL'])('does not repeat %s, which may be secret', (variable) => {
  expect(() => read({ [variable]: 'a secret word' })).toThrow(/^(?!.*a secret word)/);
});
