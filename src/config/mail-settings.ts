import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

const REPORTS = ['weekly', 'monthly', 'off'] as const;
export type Reports = (typeof REPORTS)[number];

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte, or STARTTLS: required, used if offered, or never used. */
  tls: 'implicit' | 'required' | 'offered' | 'unused';
  login: { user: string; password: string } | undefined;
}

export interface Sender {
  name: string;
  address: string;
}

/** In ASCII: other letters need a server with SMTPUTF8 at each hop. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** Its labels have at most 63 characters. */
const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const MAX_ADDRESS_LENGTH = 254;

/** An address in the form for an envelope, with its domain in ASCII. Undefined if it is invalid. */
export function mailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.length > MAX_ADDRESS_LENGTH ? '' : domainToASCII(text.slice(at + 1));
  const address = `${local}@${domain}`;
  const isValid = LOCAL_PART.test(local) && DOMAIN.test(domain);
  // Letters take more characters in ASCII.
  return isValid && address.length <= MAX_ADDRESS_LENGTH ? address : undefined;
}

/** Parses `Name <address>` or a bare address. */
export function sender(text: string): Sender {
  const [, name = '', bracketed] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const address = mailAddress(bracketed ?? text);
  if (address === undefined)
    throw new Error(`"${text}" is not an address like stats@example.com or Statistics <stats@example.com>`);
  return { name: name.trim(), address };
}

/** Errors do not repeat the text: it may contain a password. */
export function smtpServer(text: string): SmtpServer {
  const url = smtpAddress(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const login = loginOf(url);
  const isImplicit = url.protocol === 'smtps:';
  return {
    host,
    port: Number(url.port) || (isImplicit ? 465 : 587),
    tls: isImplicit ? 'implicit' : starttlsOf(host, login !== undefined),
    login,
  };
}

function smtpAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasMore = (url?.pathname.length ?? 0) > 1 || url?.search || url?.hash;
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname || hasMore)
    throw new Error('is not an address like smtp://user:password@mail.example.com:587 or smtps://…:465');
  return url;
}

/** A server on this machine often has a certificate that cannot be verified, and its traffic stays on the machine. */
function starttlsOf(host: string, hasLogin: boolean): SmtpServer['tls'] {
  if (/^localhost$/i.test(host) || host === '::1' || (isIP(host) === 4 && host.startsWith('127.')))
    return 'unused';
  return hasLogin ? 'required' : 'offered';
}

function loginOf({ username, password }: URL): SmtpServer['login'] {
  if (username === '' && password === '') return undefined;
  try {
    const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    if (login.user !== '' && login.password !== '') return login;
  } catch {
    throw new Error('has a broken percent escape in its user or password');
  }
  throw new Error('names a user without a password, or the reverse');
}

export function reports(text: string): Reports {
  const known = REPORTS.find((rhythm) => rhythm === text);
  if (!known) throw new Error(`"${text}" is not one of ${REPORTS.join(', ')}`);
  return known;
}
