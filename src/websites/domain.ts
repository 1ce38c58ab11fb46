import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { NotAllowed } from '../../engine/ground/errors';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/;
/** The time to convert a text to punycode grows with the square of its length. */
const MAX_TEXT_LENGTH = 255;
const MAX_DOMAIN_LENGTH = 253;
/** The domain in a mail address, a wildcard, or the address of a page. */
const MEANT = /^(?:https?:\/\/|[^\s/:@]+@|\*\.)([^\s/:@?#\\%[\]*]+\.[^\s/:@?#\\%[\]*.]+)\/?$/i;
const NOT_A_NAME = /[\s/:@?#\\%[\]]/;

/**
 * A domain, or a local name (see `isLocal`), in the form in which it is stored and compared with URLs' hosts: lower
 * case, punycode, without `www.`.
 */
export function normaliseDomain(sent: string): string {
  return normalisedName(sent, withoutWww);
}

/** The parent domain of a wildcard. It keeps `www.`: `*.www.example.com` must not match all of `example.com`. */
export function normaliseParent(sent: string): string {
  return normalisedName(sent, (host) => host);
}

function normalisedName(sent: string, withoutPrefix: (host: string) => string): string {
  const text = sent.trim();
  if (text === '') throw new NotAllowed('must not be empty');
  if (LOOPBACK.test(text) && isIP(unbracketed(text))) return text.includes(':') ? '[::1]' : text;
  if (text.length > MAX_TEXT_LENGTH) throw notADomain('with at most 253 characters');
  const meant = MEANT.exec(text)?.[1];
  if (meant !== undefined)
    throw new NotAllowed(`is not a domain: enter ${checkedName(withoutPrefix(domainToASCII(meant)))}`);
  if (NOT_A_NAME.test(text)) throw notADomain('without spaces, scheme, port or path');
  return checkedName(withoutPrefix(domainToASCII(text)));
}

function checkedName(domain: string): string {
  if (isIP(domain)) throw notADomain('not an IP address');
  if (!canBeDomain(domain)) throw notADomain('with at most 253 characters');
  if (!domain.split('.').every((label) => LABEL.test(label)))
    throw notADomain('with labels of letters, digits and inner hyphens, 63 characters each');
  return domain;
}

/** Tells whether a host is short enough to be registered. */
export function canBeDomain(host: string): boolean {
  return host.length <= MAX_DOMAIN_LENGTH;
}

/** A name that is valid only on one machine or network: `localhost`, a loopback address, a single label. */
export function isLocal(domain: string): boolean {
  return !domain.includes('.') || LOOPBACK.test(domain);
}

/** The parents of a domain, for example `b.example` and `example` for `a.b.example`. */
export function parentsOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}

export function withoutWww(host: string): string {
  return host.replace(/^(www\.)+(?=[^.]+\.)/, '');
}

function unbracketed(address: string): string {
  return address.replace(/^\[(.*)\]$/, '$1');
}

function notADomain(reason: string): NotAllowed {
  return new NotAllowed(`is not a domain: enter something like example.com, ${reason}`);
}
