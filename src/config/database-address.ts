import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { DatabaseAddress, MysqlAddress, Tls } from '../../engine/database/connections/address';

/** Database settings from other variables. */
type ServerOptions = Pick<MysqlAddress, 'readers' | 'writers'> & { ca: string | undefined };

const ALLOWED = 'use mysql://user:password@host:3306/name or sqlite:path';

/** Errors do not repeat the text: it may contain a password. */
export function databaseAddress(text: string, { ca, readers, writers }: ServerOptions): DatabaseAddress {
  const sqlite = /^sqlite:(.+)$/.exec(text);
  if (sqlite) return { kind: 'sqlite', path: resolve(sqlite[1]!) };
  if (!URL.canParse(text)) throw new Error(`is not a database address; ${ALLOWED}`);
  const url = new URL(text);
  if (url.protocol !== 'mysql:') throw new Error(`names an unknown kind of database; ${ALLOWED}`);
  const name = decoded(url.pathname.slice(1));
  if (!url.hostname || !url.username || !name || name.includes('/') || url.hash)
    throw new Error(`lacks a host, a user or a database name, or has a fragment; ${ALLOWED}`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    kind: 'mysql',
    host,
    port: Number(url.port || 3306),
    user: decoded(url.username),
    password: decoded(url.password),
    name,
    tls: tlsOf(url.searchParams, host, ca),
    readers,
    writers,
  };
}

function decoded(part: string): string {
  if (!/^(?:[^%]|%[0-9A-Fa-f]{2})*$/.test(part)) throw new Error(`has a broken percent escape; ${ALLOWED}`);
  return decodeURIComponent(part);
}

/** A certificate authority alone also requires TLS, so that nobody who names one connects without it. */
function tlsOf(parameters: URLSearchParams, host: string, ca: string | undefined): Tls | undefined {
  const [[parameter, mode] = ['ssl', ca ? 'true' : undefined], ...others] = [...parameters];
  if (parameter !== 'ssl' || others.length > 0)
    throw new Error('has an unknown parameter; only ssl is allowed');
  if (mode === undefined) return undefined;
  if (!['true', 'required', 'verify-ca'].includes(mode))
    throw new Error('ssl must be "true", "required" or "verify-ca"');
  const verifyHost = mode !== 'verify-ca';
  if (verifyHost && isIP(host) !== 0)
    throw new Error(
      'needs a host name for TLS; for an IP address use ssl=verify-ca, which checks only the authority',
    );
  return { ca, verifyHost };
}
