import { applyDecorators } from '@nestjs/common';
import { isNetwork } from '../config/settings';
import { NotAllowed } from '../../engine/ground/errors';
import { IsAllowed } from '../validation/rules';
import { ReadAs } from '../validation/transforms';
import { normaliseDomain, normaliseParent } from './domain';

const MAX_LINES = 1000;
const MAX_NAME_LENGTH = 255;
const WILDCARD = '*.';
const CONTROL = /[\u0000-\u001f\u007f]/;
/** class-validator would replace these in a message. */
const MESSAGE_TOKENS = /\$(?=value|property|target|constraint)/g;

/** Parses one entry of a list. Throws a NotAllowed with the reason. */
type ReadLine = (line: string) => string;

export const IsAddressList = () => IsList('isAddressList', addressLine);

/** Names of query parameters, with `*` as a wildcard. */
export const IsParameterList = () => IsList('isParameterList', parameterLine);

/** Hosts; `*.` in front of one includes all its subdomains. */
export const IsHostList = () => IsList('isHostList', hostLine);

/** A text with one entry per line, or an array. Stored as one text, or null if it is empty. */
function IsList(name: string, read: ReadLine): PropertyDecorator {
  return applyDecorators(
    ReadAs((sent) => {
      try {
        return readList(sent, read);
      } catch (error) {
        if (error instanceof NotAllowed) return sent;
        throw error;
      }
    }),
    IsAllowed(name, (value) => readList(value, read)),
  );
}

function readList(sent: unknown, read: ReadLine): string | null {
  const lines: string[] = [];
  for (const [index, raw] of entriesOf(sent).entries()) {
    const line = raw.trim();
    if (line !== '') lines.push(readLine(line, index + 1, read));
  }
  if (lines.length > MAX_LINES) throw new NotAllowed('must have at most 1,000 lines');
  return lines.length === 0 ? null : lines.join('\n');
}

function entriesOf(sent: unknown): string[] {
  if (typeof sent === 'string') return sent.split(/\r\n|\r|\n/);
  if (Array.isArray(sent) && sent.every((entry) => typeof entry === 'string')) return sent;
  throw new NotAllowed('must be a text with one entry per line, or an array of texts');
}

function readLine(line: string, number: number, read: ReadLine): string {
  try {
    if (CONTROL.test(line)) throw new NotAllowed('has a control character');
    return read(line);
  } catch (error) {
    if (!(error instanceof NotAllowed)) throw error;
    throw new NotAllowed(`line ${number}: ${quoted(line)} ${error.message}`);
  }
}

function quoted(line: string): string {
  const text = JSON.stringify(line.length > 60 ? `${line.slice(0, 60).toWellFormed()}…` : line);
  return text.replaceAll(MESSAGE_TOKENS, '\\u0024');
}

function addressLine(line: string): string {
  if (!isNetwork(line)) throw new NotAllowed('is not an IP address or CIDR range');
  return line;
}

function parameterLine(line: string): string {
  if (/[\s&=#]/.test(line)) throw new NotAllowed('is not a parameter name: it contains a blank, &, = or #');
  if (line.length > MAX_NAME_LENGTH) throw new NotAllowed(`has more than ${MAX_NAME_LENGTH} characters`);
  return line;
}

function hostLine(line: string): string {
  return line.startsWith(WILDCARD)
    ? WILDCARD + normaliseParent(line.slice(WILDCARD.length))
    : normaliseDomain(line);
}
