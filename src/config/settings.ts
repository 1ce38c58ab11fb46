import { isIP } from 'node:net';
import { resolve } from 'node:path';

export type DatabaseAddress =
  | { kind: 'sqlite'; path: string }
  | { kind: 'mysql'; host: string; port: number; user: string; password: string; name: string };

export type RateLimit = { requests: number; seconds: number };

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const API_KEY_PATTERN = /^[A-Za-z0-9_-]{24,128}$/;

/** A variable of the environment that cannot be used; its message is fit to be shown as it is. */
export class SettingError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable}: ${problem}`);
  }
}

/** The whole environment of the service, read once. */
export class Settings {
  readonly database: DatabaseAddress;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | undefined;
  readonly bootstrapApiKey: string | undefined;
  readonly trustProxy: number | string[] | undefined;
  readonly timezone: string;
  readonly respectOptOut: boolean;
  readonly rateLimit: RateLimit | undefined;
  readonly logLevel: LogLevel;
  readonly archiveDays: number | undefined;
  readonly statsDays: number | undefined;
  readonly geoDb: string | undefined;

  constructor(environment: NodeJS.ProcessEnv) {
    const read = <T>(variable: string, fallback: T, parse: (text: string) => T): T => {
      const text = environment[variable]?.trim();
      if (!text) return fallback;
      try {
        return parse(text);
      } catch (error) {
        throw new SettingError(variable, (error as Error).message);
      }
    };
    this.database = read('DATABASE_URL', databaseAddress('sqlite:data/milepost.sqlite'), databaseAddress);
    this.host = read('HOST', '127.0.0.1', hostName);
    this.port = read('PORT', 3000, (text) => integer(text, 0, 65_535));
    this.baseUrl = read('BASE_URL', undefined, webAddress);
    this.bootstrapApiKey = read('BOOTSTRAP_API_KEY', undefined, apiKey);
    this.trustProxy = read('TRUST_PROXY', undefined, trustedProxies);
    this.timezone = read('TIMEZONE', 'UTC', timezone);
    this.respectOptOut = read('RESPECT_OPT_OUT', false, onOff);
    this.rateLimit = read('RATE_LIMIT', rateLimit('on'), rateLimit);
    this.logLevel = read('LOG_LEVEL', 'info', logLevel);
    this.archiveDays = read('ARCHIVE_DAYS', undefined, (text) => integer(text, 1, 1_000_000));
    this.statsDays = read('STATS_DAYS', undefined, (text) => integer(text, 1, 1_000_000));
    this.geoDb = read('GEO_DB', undefined, (text) => resolve(text));
  }
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
  if (!level) throw new Error(`"${text}" is none of ${LOG_LEVELS.join(', ')}`);
  return level;
}

/** The text is not repeated in an error: it may hold a password. */
function databaseAddress(text: string): DatabaseAddress {
  const sqlite = /^sqlite:(.+)$/.exec(text);
  if (sqlite) return { kind: 'sqlite', path: resolve(sqlite[1]!) };
  const allowed = 'use mysql://user:password@host:3306/name or sqlite:path';
  if (!URL.canParse(text)) throw new Error(`is no address; ${allowed}`);
  const url = new URL(text);
  const decoded = (part: string) => {
    if (!/^(?:[^%]|%[0-9A-Fa-f]{2})*$/.test(part)) throw new Error(`has a broken percent escape; ${allowed}`);
    return decodeURIComponent(part);
  };
  const name = decoded(url.pathname.slice(1));
  if (url.protocol !== 'mysql:') throw new Error(`names an unknown kind of database; ${allowed}`);
  if (!url.hostname || !url.username || !name || name.includes('/') || url.search || url.hash)
    throw new Error(`lacks a host, a user or a database name, or has parameters; ${allowed}`);
  return {
    kind: 'mysql',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 3306),
    user: decoded(url.username),
    password: decoded(url.password),
    name,
  };
}

function hostName(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9.-]{1,253}$/.test(text))
    throw new Error(`"${text}" is neither an IP address nor a host name`);
  return text;
}

function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new Error(`is no address such as https://stats.example.com`);
  return url.href.replace(/\/$/, '');
}

function apiKey(text: string): string {
  if (!API_KEY_PATTERN.test(text)) throw new Error('a key has 24 to 128 characters of A-Z a-z 0-9 _ -');
  return text;
}

function trustedProxies(text: string): number | string[] {
  if (/^\d+$/.test(text)) return integer(text, 0, 100);
  const networks = text.split(',').map((part) => part.trim());
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is no address or CIDR; use a hop count or a list such as 10.0.0.0/8,::1`);
  return networks;
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
    throw new Error(`"${text}" is no time zone such as Europe/Berlin`);
  }
}

function rateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined;
  if (text === 'on') return { requests: 600, seconds: 60 };
  const match = /^([1-9]\d{0,6})\/([1-9]\d{0,4})$/.exec(text);
  if (!match) throw new Error(`"${text}" is not "on", "off" or REQUESTS/SECONDS such as 600/60`);
  return { requests: Number(match[1]), seconds: Number(match[2]) };
}
