import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { MemoryBudget } from '../../../engine/ground/memory/memory-budget';
import { Mutex } from '../../../engine/ground/threads/mutex';
import { Problem } from '../../../engine/ground/errors';
import { Malformed, TooLarge, UnsupportedBody } from '../../common/problems';
import { decodeText, parseForm, parseJsonFields } from './body';
import { parseJsonBatch } from './json-batch';
import { type BodyLimits, discardBody, type TakeBodyMemory, withBody } from './read-bytes';
import { closeIfUnread, hasBody } from './requests';

/** Separate budgets, so that batches leave room for changes of websites. */
const FIELDS_LIMITS: BodyLimits = {
  bytes: 256 * 1024,
  milliseconds: 30_000,
  memory: MemoryBudget.inQuarters('fields'),
};
const EVENT_BATCH_LIMITS: BodyLimits = {
  bytes: 8 * 1024 * 1024,
  milliseconds: 60_000,
  memory: MemoryBudget.inQuarters('batches'),
};

/** A password comes from a caller without a key. */
const PASSWORD_LIMITS: BodyLimits = {
  bytes: 4 * 1024,
  milliseconds: 10_000,
  memory: MemoryBudget.inQuarters('passwords'),
};

/** A query of a shared page comes from a caller without a key. */
const QUERY_LIMITS: BodyLimits = {
  bytes: 16 * 1024,
  milliseconds: 10_000,
  memory: MemoryBudget.inQuarters('viewerQueries'),
};

type Parse = (bytes: Buffer) => unknown;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const FIELDS_TYPES = new Map<string, Parse>([
  [JSON_TYPE, (bytes) => parseJsonFields(decodeText(bytes))],
  [FORM_TYPE, (bytes) => parseForm(decodeText(bytes))],
]);
/** A goal has a decimal, like 49.90. */
const GOAL_TYPES = new Map<string, Parse>([
  [JSON_TYPE, (bytes) => parseJsonFields(decodeText(bytes), { anyNumbers: true })],
  [FORM_TYPE, FIELDS_TYPES.get(FORM_TYPE)!],
]);
const BATCH_TYPES = new Map<string, Parse>([[JSON_TYPE, parseJsonBatch]]);
const PASSWORD_TYPES = new Map<string, Parse>([[FORM_TYPE, (bytes) => parseForm(decodeText(bytes))]]);

interface Body {
  limits: BodyLimits;
  types: Map<string, Parse>;
  isFromAnyone?: true;
}

const BODIES = {
  fields: { limits: FIELDS_LIMITS, types: FIELDS_TYPES },
  goal: { limits: FIELDS_LIMITS, types: GOAL_TYPES },
  batch: { limits: EVENT_BATCH_LIMITS, types: BATCH_TYPES },
  password: { limits: PASSWORD_LIMITS, types: PASSWORD_TYPES, isFromAnyone: true },
  viewerQuery: { limits: QUERY_LIMITS, types: FIELDS_TYPES, isFromAnyone: true },
} satisfies Record<string, Body>;
export type BodyKind = keyof typeof BODIES;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Reads bodies into `request.body` for known callers only. Any other body is discarded unread, and the guard
 * of the route answers. A request without a body has none.
 */
export function readBodies(
  kindOf: (request: Request) => BodyKind | undefined,
  callerOf: (request: Request, isFromAnyone: boolean) => string | undefined,
): RequestHandler {
  const readBody = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const kind = kindOf(request);
    const read: Body | undefined = kind && BODIES[kind];
    const caller = read && callerOf(request, read.isFromAnyone ?? false);
    if (!read || caller === undefined) {
      await discardBody(request, FIELDS_LIMITS.milliseconds);
      closeIfUnread(response);
      return next();
    }
    const { limits, types } = read;
    const parse = types.get(essenceOf(request.get('Content-Type') ?? ''));
    const encoding = request.get('Content-Encoding')?.toLowerCase() ?? 'identity';
    if (!parse || (encoding !== 'identity' && !DECODERS.has(encoding)))
      throw new UnsupportedBody([...types.keys()].reverse().join(' or '));
    await withBody(request, limits, caller, async (body, take) => {
      const decoder = DECODERS.get(encoding);
      const bytes = decoder ? await unpacking.run(() => unpack(body, decoder(), limits.bytes, take)) : body;
      request.body = await parse(bytes);
      next();
      if (!response.closed) await once(response, 'close');
    });
  };
  return (request, response, next) => {
    if (hasBody(request)) readBody(request, response, next).catch(next);
    else next();
  };
}

/** Reads the body of a refused request, so that the sender receives the answer. */
export async function discardRefused(request: Request): Promise<void> {
  if (hasBody(request)) await discardBody(request, FIELDS_LIMITS.milliseconds);
}

/** A few bytes may unpack to 8 MiB, whose memory is only freed some time later. */
const unpacking = new Mutex();

/** Unpacks in pieces, so that no more than the limit is ever unpacked. */
async function unpack(
  body: Buffer,
  decoder: Transform,
  maxBytes: number,
  take: TakeBodyMemory,
): Promise<Buffer> {
  decoder.end(body);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new TooLarge();
      take(piece.length);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Malformed('The body is not encoded as the header Content-Encoding says.');
  }
  return Buffer.concat(pieces);
}

/** The type without parameters. Empty if the charset is not UTF-8. */
function essenceOf(contentType: string): string {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charsets = parameters
    .map((text) => text.split('=').map((part) => part.trim()))
    .filter(([name]) => name === 'charset');
  return charsets.every(([, charset]) => /^"?utf-?8"?$/.test(charset ?? '')) ? type.trim() : '';
}
