import { isIP } from 'node:net';
import { readFileSync } from 'node:fs';
import { certificates, readableFile } from './setting-files';

/** A transport for messages of internal callers. */
export type RpcAddress =
  | { kind: 'tcp'; host: string; port: number; tls: { cert: string; key: string } | undefined }
  | { kind: 'nats'; server: string; user?: string; password?: string; tls: boolean }
  | { kind: 'redis'; host: string; port: number; user?: string; password?: string; db: number; tls: boolean }
  | { kind: 'amqp'; url: string };

const ALLOWED =
  'use tcp://127.0.0.1:4000, nats://host:4222, redis://host:6379 or amqp://host:5672, with blanks between several';

/** Errors do not repeat the texts: they may contain a password. */
export function rpcAddresses(text: string): RpcAddress[] {
  return text.split(/\s+/).map(rpcAddress);
}

type Read = (url: URL, host: string) => RpcAddress;

const READERS = new Map<string, Read>([
  ['tcp:', tcpAddress],
  ['nats:', (url, host) => natsAddress(url, host, false)],
  ['tls:', (url, host) => natsAddress(url, host, true)],
  ['redis:', (url, host) => redisAddress(url, host, false)],
  ['rediss:', (url, host) => redisAddress(url, host, true)],
  ['amqp:', ({ href }) => ({ kind: 'amqp', url: href })],
  ['amqps:', ({ href }) => ({ kind: 'amqp', url: href })],
]);

function rpcAddress(text: string): RpcAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const read = READERS.get(url?.protocol ?? '');
  if (!url?.hostname || !read || url.hash)
    throw new Error(`is not the address of a known transport; ${ALLOWED}`);
  return read(url, url.hostname.replace(/^\[|\]$/g, ''));
}

function natsAddress(url: URL, host: string, tls: boolean): RpcAddress {
  return { kind: 'nats', server: `${hostInUrl(host)}:${url.port || 4222}`, tls, ...accessIn(url) };
}

function redisAddress(url: URL, host: string, tls: boolean): RpcAddress {
  const port = Number(url.port || 6379);
  return { kind: 'redis', host, port, db: databaseOf(url), tls, ...accessIn(url) };
}

function accessIn({ username, password }: URL): { user?: string; password?: string } {
  return {
    ...(username && { user: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
}

function tcpAddress({ port, username, pathname, searchParams }: URL, host: string): RpcAddress {
  const { cert, key, ...others } = Object.fromEntries(searchParams);
  if (!port || username || pathname.length > 1 || Object.keys(others).length > 0)
    throw new Error(
      'tcp needs a host and a port, like tcp://127.0.0.1:4000, and accepts only the parameters cert and key',
    );
  if ((cert === undefined) !== (key === undefined))
    throw new Error('tcp needs both cert and key for TLS, files in PEM');
  const tls =
    cert === undefined
      ? undefined
      : { cert: certificates(cert), key: readFileSync(readableFile(key!), 'latin1') };
  return { kind: 'tcp', host, port: Number(port), tls };
}

function databaseOf({ pathname }: URL): number {
  const name = pathname.slice(1);
  if (!/^\d{0,4}$/.test(name))
    throw new Error('redis takes the number of a database as its path, like redis://host/2');
  return Number(name);
}

function hostInUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
