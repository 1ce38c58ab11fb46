import { isUtf8 } from 'node:buffer';
import { InvalidFields } from '../../../engine/ground/errors';
import { Malformed } from '../../common/problems';
import { type Fields, formFields, SENT_TWICE } from '../../validation/fields';

/** Checking a member takes microseconds, and a body of 256 KiB has room for 60,000. */
const MAX_MEMBERS = 5000;
const ITEMS_PER_MEMBER = 20;
/** Arrays and objects take microseconds each. 20 queries of 100 conditions have some 4,400. */
const MAX_OPENINGS = 5000;
const [QUOTE, BACKSLASH, OPENING_BRACKET, OPENING_BRACE] = [0x22, 0x5c, 0x5b, 0x7b];

/** Parses a form. A repeated field becomes SENT_TWICE, so that the error names it. */
export function parseForm(text: string): Fields {
  const fields = formFields();
  const pairs = text.split('&', MAX_MEMBERS + 1);
  if (pairs.length > MAX_MEMBERS) throw tooManyMembers(MAX_MEMBERS);
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescape(equals < 0 ? '' : pair.slice(equals + 1));
    fields[name] = name in fields ? SENT_TWICE : value;
  }
  return fields;
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Malformed('A percent escape is broken or is not UTF-8.');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed('The body is not valid JSON.');
  }
}

export interface JsonRules {
  maxMembers?: number;
  /** Tells whether numbers may have any notation of JSON, like 10.0. Otherwise they are digits, as in a form. */
  anyNumbers?: boolean;
}

/** Parses JSON as fields. JSON.parse alone would let the last of two equal names win, and accept 1e0 as 1. */
export function parseJsonFields(
  text: string,
  { maxMembers = MAX_MEMBERS, anyNumbers = false }: JsonRules = {},
): unknown {
  refuseManyOpenings(text);
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return parsed;
  const fields = parsed as Fields;
  const members = membersIn(fields, maxMembers);
  if (!isPlain(text, fields, members)) markOddities(text, fields, anyNumbers ? () => false : isOddNumber);
  return fields;
}

/** Counts outside of texts. */
function refuseManyOpenings(text: string): void {
  if (text.length <= MAX_OPENINGS) return;
  let openings = 0;
  let inText = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inText && code === BACKSLASH) index++;
    else if (code === QUOTE) inText = !inText;
    else if (!inText && (code === OPENING_BRACKET || code === OPENING_BRACE))
      if (++openings > MAX_OPENINGS) throw tooManyOpenings(index);
  }
}

function tooManyOpenings(index: number): InvalidFields {
  const [most, at] = [MAX_OPENINGS, index + 1].map((number) => number.toLocaleString('en'));
  return new InvalidFields({
    body: [`has more than ${most} arrays and objects (one too many at character ${at})`],
  });
}

function tooManyMembers(most: number): InvalidFields {
  return new InvalidFields({ body: [`has more than ${most.toLocaleString('en')} fields`] });
}

/**
 * Tells whether no name is repeated and there are no numbers, which holds for most bodies. This check is much faster than the
 * walk.
 */
function isPlain(text: string, fields: Fields, members: number): boolean {
  if (text.includes('\\') || Object.values(fields).some((value) => typeof value === 'number')) return false;
  return text.match(/"\s*:/g)?.length === members;
}

/** At any depth. */
function membersIn(fields: Fields, most: number): number {
  let members = 0;
  const values: unknown[] = [fields];
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    const inside: unknown[] = Object.values(value);
    if (!Array.isArray(value)) members += inside.length;
    for (const one of inside) values.push(one);
    if (members > most || values.length > ITEMS_PER_MEMBER * most) throw tooManyMembers(most);
  }
  return members;
}

interface Level {
  /** The parsed value at this place. Undefined below a repeated name. */
  value: Fields | undefined;
  names: Set<string>;
  /** The name or index of the current member. */
  at: string | number;
}

/** Walks the JSON text along with its parsed value, and marks repeated names and unusual numbers. */
function markOddities(text: string, root: Fields, isOdd: typeof isOddNumber): void {
  const levels: Level[] = [];
  let before = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') levels.push(levelOf(level ? memberOf(level) : root));
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level!.at === 'number') level!.at++;
    else if (token === ':') enter(level!, JSON.parse(before) as string);
    else if (before === ':' && isOdd(level!, token)) level!.value![level!.at] = NaN;
    before = token;
  }
}

function levelOf(value: unknown): Level {
  const isOpen = typeof value === 'object' && value !== null && value !== SENT_TWICE;
  return { value: isOpen ? (value as Fields) : undefined, names: new Set(), at: 0 };
}

function memberOf({ value, at }: Level): unknown {
  return value?.[at];
}

function enter(level: Level, name: string): void {
  if (level.names.has(name) && level.value) level.value[name] = SENT_TWICE;
  level.names.add(name);
  level.at = name;
}

function isOddNumber(level: Level, token: string): boolean {
  const number = memberOf(level);
  return typeof number === 'number' && String(number) !== token;
}

export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Malformed('The body is not valid UTF-8.');
  return bytes.toString('utf8', startOf(bytes));
}

/** Strips a byte order mark. */
export function startOf(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
