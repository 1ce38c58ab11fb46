import express, { type NextFunction, type Request, type Response } from 'express';
import { Malformed, UnsupportedBody } from './problem';

/** Own properties only, so that a field named __proto__ is a field like any other. */
export type Fields = Record<string, unknown>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const PARSERS: Record<string, (text: string) => unknown> = {
  'application/json': parseJson,
  'application/x-www-form-urlencoded': parseForm,
};

/** Reads a body of one of the two types into `request.body`; a request without one has none. */
export function readBody(limit: string) {
  const readBytes = express.raw({ type: () => true, limit });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!hasBody(request)) return next();
    const parse = parserFor(request.get('Content-Type') ?? '');
    if (!parse) return next(new UnsupportedBody());
    readBytes(request, response, (error?: unknown) => {
      if (error) return next(error);
      try {
        request.body = parse(decode(request.body as Buffer));
        next();
      } catch (problem) {
        next(problem);
      }
    });
  };
}

/** A field that is sent twice is kept as an array, for the check of the fields to refuse it by name. */
export function parseForm(text: string): Fields {
  const fields = Object.create(null) as Fields;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescape(equals < 0 ? '' : pair.slice(equals + 1));
    const earlier = fields[name];
    if (earlier === undefined) fields[name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else fields[name] = [earlier, value];
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

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Malformed('The body is not valid UTF-8.');
  }
}

function hasBody(request: Request): boolean {
  const length = request.get('Content-Length');
  return request.get('Transfer-Encoding') !== undefined || (length !== undefined && length !== '0');
}

function parserFor(contentType: string) {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return undefined;
  const essence = type.trim();
  return Object.hasOwn(PARSERS, essence) ? PARSERS[essence] : undefined;
}
