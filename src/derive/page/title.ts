import { normaliseAddress } from '../../common/address';
import { cutText } from '../cut-value';
import { decoded } from './excluded-parameters';
import { REMOVED } from './page-address';
import { isPrivate } from './removed-parameters';

const MAX_BYTES = 255;
/** What comes later cannot belong to what is stored, however long it is. Expressions that go back stay fast. */
const MAX_LENGTH = 512;

/** A name and its value, such as `token=abc`, `"password":"x y"` or `user[secret]=1`. */
const NAMED = /["']?([\p{L}\p{N}_.[\]-]{1,64})["']?(?:=|:|%3D)(?:"[^"]*"?|'[^']*'?|[^\s&;"'<>]+)/giu;
const MAIL_ADDRESS = /[^\s@＠<>()[\]{}"'“”„«»,;:|/\\=&?#%]{1,64}(?:(?:@|＠|%40)[\p{L}\p{N}_.-]+)+/giu;
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?!\.?\d)/g;
const IPV6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}(?:[\da-f]{0,4}|\d{1,3}(?:\.\d{1,3}){3})(?![\w:])/gi;
/** As JSON, as UUIDs, as digits and letters, and as letters of both cases with digits. */
const TOKENS = [
  /eyJ[\w-]+\.[\w.-]+/g,
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  /(?=[A-Za-z_+=]*\d)(?=[\d_+=]*[A-Za-z])[\w+=]{32,}/g,
  /(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])[\w+=-]{32,}/g,
];

/** A title as it is stored: without addresses and secrets, and cut at a character. Null if nothing is left. */
export function storedTitle(sent: string): string | null {
  const title = sent.toWellFormed().replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LENGTH).toWellFormed();
  const kept = TOKENS.reduce(
    (text, token) => text.replaceAll(token, REMOVED),
    title.replaceAll(NAMED, (pair, name: string) => (isSecret(pair, name) ? REMOVED : pair)),
  );
  const withoutAddresses = kept
    .replaceAll(MAIL_ADDRESS, REMOVED)
    .replaceAll(IPV4, removedIfAddress)
    .replaceAll(IPV6, removedIfAddress);
  return cutText(withoutAddresses, MAX_BYTES).trim() || null;
}

/** Tells whether a name is that of a secret, or its value has such a name. */
function isSecret(pair: string, name: string): boolean {
  if (name.split(/[.[\]]/).some((part) => isPrivate(part))) return true;
  const inside = decoded(pair.slice(name.length + 1));
  return inside !== pair && [...inside.matchAll(NAMED)].some(([, own]) => isPrivate(own!));
}

function removedIfAddress(text: string): string {
  const isAddress = normaliseAddress(text) ?? normaliseAddress(text.replace(/:\d+$/, ''));
  return isAddress === null ? text : REMOVED;
}
