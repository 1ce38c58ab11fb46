import { ByteCache, bytesOfText } from '../../../engine/ground/memory/byte-cache';
import { PARAMETER_KEYS, type ParameterKey } from '../../../engine/hits/fields';
import { cutValue } from '../cut-value';
import { hostOf, parseUrl } from './host';
import { decoded, type ParameterRules } from './excluded-parameters';
import { clickIdOf, isAlwaysRemoved } from './removed-parameters';

type OfParameters = Record<ParameterKey, string | null>;
const NO_PARAMETERS = Object.fromEntries(
  Array.from(PARAMETER_KEYS.values(), (key) => [key, null]),
) as OfParameters;

interface Parameter {
  name: string;
  text: string;
  isRemoved: boolean;
}

/** A parsed page address, independent of the website's exclusions. */
export interface PageAddress {
  host: string;
  pathname: string;
  search: string;
  parameters: Parameter[];
  /** The fields of a hit that parameters bring. */
  utm: OfParameters;
  clickId: string | null;
  /** The approximate size in memory. */
  bytes: number;
}

/** Beyond this, the whole query is removed. */
const MAX_PARAMETERS = 200;
const BYTES_PER_PARAMETER = 150;
const BYTES_PER_ADDRESS = 500;
const MAX_CACHED_LENGTH = 512;
const pages = new ByteCache<PageAddress>('pages', ({ bytes }) => bytes);

/** Undefined if the text is not the address of a page. */
export function parsePageAddress(text: string): PageAddress | undefined {
  const known = pages.get(text);
  if (known) return known;
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  const host = url && hostOf(url);
  if (!host) return undefined;
  const address = read(url, host);
  if (text.length <= MAX_CACHED_LENGTH) pages.set(text, address);
  return address;
}

/** The page of an address, without the parameters that the rules exclude. */
export function derivePage(address: PageAddress, rules: ParameterRules): string {
  return address.pathname + remaining(address, rules);
}

function read({ pathname, search }: URL, host: string): PageAddress {
  const texts = search === '' ? [] : search.slice(1).split('&', MAX_PARAMETERS + 1);
  const parameters = texts.map((text) => {
    const name = decoded(text.split('=', 1)[0]!);
    return { name, text, isRemoved: isAlwaysRemoved(name) };
  });
  const bytes =
    BYTES_PER_ADDRESS + bytesOfText(pathname) + bytesOfText(search) + BYTES_PER_PARAMETER * parameters.length;
  const utm = broughtBy(parameters);
  return { host, pathname, search, parameters, utm, clickId: clickIdIn(parameters), bytes };
}

/** If a parameter is removed, blank ones are too: a stray `&` would count as a different page. */
function remaining({ parameters, search }: PageAddress, rules: ParameterRules): string {
  const { length } = parameters;
  if (length > MAX_PARAMETERS || rules.areTooManyFor(length, search.length)) return '';
  const remaining = parameters.filter(({ name, isRemoved }) => !isRemoved && !rules.excludes(name));
  if (remaining.length === length) return search;
  const texts = remaining.map(({ text }) => text).filter((text) => text !== '');
  return texts.length === 0 ? '' : `?${texts.join('&')}`;
}

function broughtBy(parameters: Parameter[]): OfParameters {
  const brought = { ...NO_PARAMETERS };
  for (const { name, text } of parameters) {
    const key = PARAMETER_KEYS.get(name.toLowerCase());
    const value = key && valueOf(text);
    if (value) brought[key] ??= cutValue(value);
  }
  return brought;
}

function clickIdIn(parameters: Parameter[]): string | null {
  for (const { name, text, isRemoved } of parameters) {
    const kind = isRemoved ? clickIdOf(name) : null;
    if (kind !== null && valueOf(text) !== null) return kind;
  }
  return null;
}

function valueOf(text: string): string | null {
  const equals = text.indexOf('=');
  return equals < 0 ? null : withoutEmailAddress(decoded(text.slice(equals + 1)).trim()) || null;
}

/** Replaces a removed text. */
export const REMOVED = '(removed)';

const MAX_LENGTH = 320;
const EMAIL_ADDRESS = /^\s*(?:mailto:)?[^\s@]+@[^\s@]+\.[^\s@]+\s*$/i;

/** Replaces a text that is an email address. */
export function withoutEmailAddress(text: string): string {
  return text.length <= MAX_LENGTH && text.includes('@') && EMAIL_ADDRESS.test(text) ? REMOVED : text;
}
