import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { NextFunction, Request, Response } from 'express';
import { entityTagOf, tagInCoding } from './entity-tags';

type Options = { params: Record<number, number> };

/** Newer releases of Node have it. */
interface Zstd {
  zstdCompressSync?: (bytes: Buffer) => Buffer;
  createZstdCompress?: () => Transform;
}

interface Encoding {
  name: string;
  compress(bytes: Buffer): Buffer;
  stream(): Transform;
}

const { zstdCompressSync, createZstdCompress } = zlib as Zstd;
/** The default quality is for files that are compressed once, and takes a hundred times as long. */
const BROTLI: Options = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Encodings that a client weighs equally are tried in this order. */
const ENCODINGS: readonly Encoding[] = [
  ...(zstdCompressSync && createZstdCompress
    ? [{ name: 'zstd', compress: zstdCompressSync, stream: createZstdCompress }]
    : []),
  {
    name: 'br',
    compress: (bytes) => zlib.brotliCompressSync(bytes, BROTLI),
    stream: () => zlib.createBrotliCompress(BROTLI),
  },
  { name: 'gzip', compress: (bytes) => zlib.gzipSync(bytes), stream: () => zlib.createGzip() },
];

/** A smaller answer fits one packet anyway. */
const MIN_BYTES = 1400;
/** Compressing a larger answer at once would block other requests. */
const MAX_BYTES = 512 * 1024;

/** The preferred encoding of the client. Undefined if it prefers none. */
export function wantedEncoding(request: Request): Encoding | undefined {
  const name = request.acceptsEncodings([...ENCODINGS.map((encoding) => encoding.name), 'identity']);
  return ENCODINGS.find((encoding) => encoding.name === name);
}

/**
 * The first of these encodings that the client takes. Express would take the client's first, and browsers name `gzip`
 * before smaller ones.
 */
export function firstAccepted<Name extends string>(
  request: Request,
  names: readonly Name[],
): Name | 'identity' {
  return names.find((name) => request.acceptsEncodings(name) === name) ?? 'identity';
}

/** Sets the headers of an answer in an encoding. */
export function setEncoding(response: Response, { name }: Encoding): void {
  const tag = response.get('ETag');
  response.set('Content-Encoding', name);
  if (tag !== undefined) response.set('ETag', tagInCoding(tag, name));
}

/** A large answer for anyone, which is made once and compressed once for each encoding. */
export class SharedAnswer {
  private readonly encoded = new Map<string, Buffer>();
  private tag: string | undefined;

  constructor(private readonly make: () => string) {}

  send(request: Request, response: Response): void {
    const encoding = wantedEncoding(request);
    const bytes = this.bytesOf('', () => Buffer.from(this.make()));
    this.tag ??= entityTagOf(bytes.toString());
    response.vary('Accept-Encoding').set('ETag', this.tag);
    if (!encoding) return void response.send(bytes);
    setEncoding(response, encoding);
    response.send(this.bytesOf(encoding.name, () => encoding.compress(bytes)));
  }

  private bytesOf(encoding: string, make: () => Buffer): Buffer {
    const known = this.encoded.get(encoding);
    if (known) return known;
    const made = make();
    this.encoded.set(encoding, made);
    return made;
  }
}

/** Compresses answers that are sent as a whole. */
export function compressAnswers(request: Request, response: Response, next: NextFunction): void {
  response.vary('Accept-Encoding');
  const end = response.end.bind(response) as (body?: unknown, ...more: unknown[]) => Response;
  response.end = ((body?: unknown, ...more: unknown[]) => {
    if (response.headersSent || !isBody(body)) return end(body, ...more);
    const encoding = wantedEncoding(request);
    const bytes = Buffer.from(body);
    if (!encoding || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return end(body, ...more);
    const compressed = encoding.compress(bytes);
    setEncoding(response, encoding);
    response.set('Content-Length', String(compressed.length));
    return end(compressed);
  }) as Response['end'];
  next();
}

function isBody(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}
