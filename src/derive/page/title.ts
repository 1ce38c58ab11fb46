import { normaliseAddress } from '../../common/address';
import { cutText } from '../cut-value';
import { decoded } from './parameters';
import { REMOVED, withoutEmailAddress } from './page';
import { isPrivate } from './removed-parameters';

const MAX_BYTES = 255;
/** Only the beginning of a longer title is looked at. */
const MAX_LENGTH = 1024;
const WORD = /[^\s,|<>()[\]{}"'“”„«»]+/g;
const ENDS = /^[.;!?…]+|[.:;!?…]+$/g;
/** Tokens as JSON, as hexadecimal digits, as UUIDs, and as letters of both cases with digits. */
const TOKEN =
  /^(?:eyJ[\w-]+\.[\w.-]+|(?=\D*\d)[\da-f]{32,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w+/=-]{32,})$/;

/** A title as it is stored: without addresses and secrets, and cut at a character. Null if nothing is left. */
export function storedTitle(sent: string): string | null {
  const read = sent.length <= MAX_LENGTH ? sent : sent.slice(0, sent.lastIndexOf(' ', MAX_LENGTH));
  const title = read.toWellFormed().replaceAll(/\s+/g, ' ').trim();
  const kept = title.replaceAll(WORD, (word) => (isPrivateWord(word.replaceAll(ENDS, '')) ? REMOVED : word));
  return cutText(kept, MAX_BYTES).trim() || null;
}

function isPrivateWord(word: string): boolean {
  if (withoutEmailAddress(word) === REMOVED || TOKEN.test(word)) return true;
  if (normaliseAddress(word) !== null || normaliseAddress(word.replace(/:\d+$/, '')) !== null) return true;
  return word
    .split(/[?&#;]/)
    .some((part) => /.[=:]/.test(part) && isPrivate(decoded(part.split(/[=:]/, 1)[0]!)));
}
