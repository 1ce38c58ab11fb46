import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { SettingError } from '../../engine/ground/setting-error';
import type { Moves } from '../../engine/database/hit-settings';
import type { DatabaseAddress } from '../../engine/database/connections/address';
import { defaultDataFolder, folder, SQLITE_FILE } from './data-folder';
import { databaseAddress } from './database-address';
import { homeOfHits } from './home-of-hits';
import { reports, type Reports, sender, type Sender, smtpServer, type SmtpServer } from './mail-settings';
import { DEFAULT_RATE_LIMITS, type RateLimits, rateLimits } from './rate-limits';
import { type RpcAddress, rpcAddresses } from './rpc-address';
import { certificates, readableFile } from './setting-files';

export type { Reports, Sender, SmtpServer } from './mail-settings';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LISTS_OF_ADDRESSES = ['forwarded', 'x-forwarded-for'];

export const API_KEY_PATTERN = /^[A-Za-z0-9_-]{24,128}$/;

type Read = <T>(variable: string, fallback: T, parse: (text: string) => T) => T;

/** The whole environment of the service, read once. */
export class Settings {
  readonly database: DatabaseAddress;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | undefined;
  readonly bootstrapApiKey: string | undefined;
  readonly secretFile: string;
  /** Where the first key is kept. */
  readonly keyFolder: string;
  readonly trustProxy: number | string[] | undefined;
  /** In lower case. */
  readonly clientIpHeader: string | undefined;
  readonly timezone: string;
  readonly respectOptOut: boolean;
  readonly rateLimits: RateLimits | undefined;
  readonly rpcUrls: RpcAddress[];
  readonly logLevel: LogLevel;
  readonly archiveDays: number | undefined;
  readonly statsDays: number | undefined;
  readonly newValuesPerDay: number;
  /** False switches places off. */
  readonly geoDb: string | false | undefined;
  readonly allowLocalDomains: boolean;
  readonly cacheMb: number;
  readonly corsOrigins: string[];
  readonly smtp: SmtpServer | undefined;
  readonly mailFrom: Sender | undefined;
  readonly reports: Reports;
  readonly mailRate: number;
  readonly webhookAllow: string[];
  readonly moves: Moves | undefined;
  readonly metricsToken: string | undefined;

  constructor(environment: NodeJS.ProcessEnv) {
    const { read, refuseWrong } = reader(environment);
    const server = {
      ca: read('DATABASE_CA', undefined, certificates),
      readers: read('DATABASE_READERS', 10, (text) => integer(text, 2, 1000)),
      writers: read('DATABASE_WRITERS', 10, (text) => integer(text, 2, 1000)),
    };
    const address = (text: string) => databaseAddress(text, server);
    const ownData = read('MILEPOST_DATA', undefined, folder);
    const data = ownData ?? defaultDataFolder();
    const file: DatabaseAddress = { kind: 'sqlite', path: join(data, SQLITE_FILE) };
    this.database = read('DATABASE_URL', file, address);
    this.host = read('HOST', '127.0.0.1', hostName);
    this.port = read('PORT', 3000, (text) => integer(text, 0, 65_535));
    this.baseUrl = read('BASE_URL', undefined, webAddress);
    this.bootstrapApiKey = read('BOOTSTRAP_API_KEY', undefined, apiKey);
    this.secretFile = read('SECRET_FILE', join(data, 'secret'), (text) => resolve(text));
    this.keyFolder =
      this.database.kind === 'sqlite' ? dirname(this.database.path) : (ownData ?? dirname(this.secretFile));
    this.trustProxy = read('TRUST_PROXY', undefined, trustedProxies);
    this.clientIpHeader = read('CLIENT_IP_HEADER', undefined, (text) =>
      clientIpHeader(text, this.trustProxy),
    );
    this.timezone = read('TIMEZONE', 'UTC', timezone);
    this.respectOptOut = read('RESPECT_OPT_OUT', false, onOff);
    this.rateLimits = read<RateLimits | undefined>('RATE_LIMIT', DEFAULT_RATE_LIMITS, rateLimits);
    this.rpcUrls = read<RpcAddress[]>('RPC_URL', [], rpcAddresses);
    this.logLevel = read('LOG_LEVEL', 'info', logLevel);
    this.archiveDays = read('ARCHIVE_DAYS', undefined, (text) => integer(text, 1, 1_000_000));
    this.newValuesPerDay = read('NEW_VALUES_PER_DAY', 250_000, (text) => integer(text, 1, 1_000_000));
    this.statsDays = read('STATS_DAYS', undefined, (text) => integer(text, 1, 1_000_000));
    this.geoDb = read<string | false | undefined>(
      'GEO_DB',
      undefined,
      (text) => text !== 'off' && readableFile(text),
    );
    this.allowLocalDomains = read('ALLOW_LOCAL_DOMAINS', environment.NODE_ENV !== 'production', onOff);
    this.cacheMb = read('CACHE_MB', 128, (text) => integer(text, 16, 65_536));
    this.corsOrigins = read('CORS_ORIGINS', [], origins);
    this.smtp = read('SMTP_URL', undefined, smtpServer);
    this.mailFrom = read('MAIL_FROM', undefined, sender);
    this.reports = read('REPORTS', this.smtp ? 'weekly' : 'off', reports);
    this.mailRate = read('MAIL_RATE', 300, (text) => integer(text, 1, 60_000));
    this.webhookAllow = read<string[]>('WEBHOOK_ALLOW', [], (text) => networks(text));
    const home = read<Moves['home'] | 'rows'>('HITS_URL', undefined, homeOfHits);
    const from = read('HITS_FROM', home === 'rows' ? 0 : 1_000_000, (text) =>
      integer(text, 0, Number.MAX_SAFE_INTEGER),
    );
    this.moves = home && { from, home: home === 'rows' ? undefined : home };
    this.metricsToken = read('METRICS_TOKEN', undefined, token);
    refuseWrong();
  }
}

/** Continues after an invalid variable, so that all of them are reported at once. */
function reader(environment: NodeJS.ProcessEnv): { read: Read; refuseWrong: () => void } {
  const wrong: [string, string][] = [];
  const read: Read = (variable, fallback, parse) => {
    const text = environment[variable]?.trim();
    if (!text) return fallback;
    try {
      return parse(text);
    } catch (error) {
      wrong.push([variable, (error as Error).message]);
      return fallback;
    }
  };
  const refuseWrong = () => {
    const [first, ...others] = wrong;
    if (first)
      throw new SettingError(
        ...first,
        others.map((other) => new SettingError(...other)),
      );
  };
  return { read, refuseWrong };
}

function integer(text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^(0|[1-9]\d*)$/.test(text) || value < least || value > most)
    throw new Error(`"${text}" is not a whole number from ${least} to ${most}`);
  return value;
}

function onOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new Error(`"${text}" is neither "on" nor "off"`);
  return text === 'on';
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (!level) throw new Error(`"${text}" is not one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function hostName(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9.-]{1,253}$/.test(text))
    throw new Error(`"${text}" is neither an IP address nor a host name`);
  return text;
}

function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new Error(`must be an address like https://stats.example.com`);
  return url.href.replace(/\/$/, '');
}

function origins(text: string): string[] {
  const list = text.split(',').map((part) => part.trim());
  const wrong = list.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an origin like https://dashboard.example.com`);
  return list;
}

function apiKey(text: string): string {
  if (!API_KEY_PATTERN.test(text)) throw new Error('a key has 24 to 128 characters of A-Z a-z 0-9 _ -');
  return text;
}

function token(text: string): string {
  if (!/^[!-~]{24,256}$/.test(text))
    throw new Error('a token has 24 to 256 visible characters of ASCII, without blanks');
  return text;
}

function trustedProxies(text: string): number | string[] {
  if (/^\d+$/.test(text)) return integer(text, 0, 100);
  const list = networks(text, 'a hop count or ');
  const everyone = list.find((network) => network.endsWith('/0'));
  if (everyone !== undefined)
    throw new Error(`"${everyone}" contains every address; use the address or network of the proxy`);
  return list;
}

function clientIpHeader(text: string, proxies: Settings['trustProxy']): string {
  const name = text.toLowerCase();
  if (!/^[a-z0-9-]{1,64}$/.test(name)) throw new Error(`"${text}" is not the name of a header`);
  if (LISTS_OF_ADDRESSES.includes(name))
    throw new Error(`"${text}" is a list; without this setting, X-Forwarded-For is read`);
  if (!proxies) throw new Error('needs TRUST_PROXY: anybody could send the header');
  return name;
}

function networks(text: string, orElse = ''): string[] {
  const list = text.split(',').map((part) => part.trim());
  const wrong = list.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is not an IP address or CIDR range; use ${orElse}a list like 10.0.0.0/8,::1`);
  return list;
}

export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  return (
    prefix === undefined ||
    (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
  );
}

function timezone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new Error(`"${text}" is not a time zone like Europe/Berlin`);
  }
}
