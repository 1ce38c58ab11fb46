import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { NotAllowed } from '../common/fields';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Converting a text takes time that grows with the square of its length. */
const LONGEST_TEXT = 1000;
const NOT_A_NAME = /[\s/:@?#\\%[\]]/;

/** A domain in the one form in which it is stored: lower case, punycode, without `www.`. */
export function normaliseDomain(sent: string): string {
  const text = sent.trim();
  if (text === '') throw new NotAllowed('must not be empty');
  if (text.length > LONGEST_TEXT) throw notADomain('must have at most 253 characters');
  if (NOT_A_NAME.test(text)) throw notADomain('must be a domain name alone, without scheme, port or path');
  const domain = withoutWww(domainToASCII(text));
  const labels = domain.split('.');
  if (isIP(domain)) throw notADomain('must not be an IP address');
  if (domain.length > 253) throw notADomain('must have at most 253 characters');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)))
    throw notADomain('must have two or more labels of letters, digits and inner hyphens, 63 characters each');
  return domain;
}

export function withoutWww(host: string): string {
  return host.replace(/^(www\.)+(?=[^.]+\.)/, '');
}

function notADomain(reason: string): NotAllowed {
  return new NotAllowed(`${reason}, such as example.com`);
}
