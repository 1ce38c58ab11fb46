import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as othersHaveTheirTurn } from 'node:timers/promises';
import { StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CallerLeft } from '../../../engine/ground/gate';
import { setEncoding, wantedEncoding } from './compression';
import { entityTagOf, isKnown } from './entity-tags';
import type { Lines } from '../../../engine/hits/files/csv';
import { FILE_FORMATS, type FileFormat } from '../../../engine/hits/files/file-formats';
import { inUtf8 } from './wanted-format';
import { type AnswerHeaders, ETAG_HEADER } from '../openapi/openapi';
import { REQUEST_ID_HEADER } from '../openapi/openapi-problems';
import { respondWithProblem } from './problem-response';
import { Tagged } from './revalidation';

/** A result that can be sent as a file. */
export interface Exported<T extends object> {
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly columns: readonly string[];
  /** It changes with the content of the file, which need not be loaded if the caller has it. */
  version(isKnown: (version: unknown) => boolean): Promise<unknown>;
  /** The rows, or formatted lines, in pieces. Each is fetched after the previous one was sent. */
  pieces(format: FileFormat): AsyncIterable<readonly T[] | Uint8Array>;
}

/** A client that reads nothing for this time is disconnected. */
const SLOW_CLIENT_MS = 30_000;

/** The file, unless the caller has its version. */
export async function fileUnlessKnown(
  request: Request,
  response: Response,
  exported: Exported<object>,
  format: FileFormat,
): Promise<StreamableFile | Tagged<never>> {
  const tagOf = (version: unknown) => entityTagOf([format.type, version]);
  const tag = tagOf(await exported.version((version) => isKnown(request.headers, tagOf(version))));
  if (isKnown(request.headers, tag)) return new Tagged<never>(tag, undefined);
  response.set('ETag', tag);
  return sentAsFile(request, response, exported, format);
}

export async function sentAsFile(
  request: Request,
  response: Response,
  exported: Omit<Exported<object>, 'version'>,
  format: FileFormat,
): Promise<StreamableFile> {
  const stream = await streamOf(exported, format, response);
  const file = new StreamableFile(encoded(stream, request, response), {
    type: inUtf8(format.type),
    disposition: `attachment; filename="${exported.name}.${format.extension}"`,
  });
  return file.setErrorHandler((error) => respondWithProblem(response, error, ''));
}

/**
 * An error before the first piece is answered as a problem. A later error breaks the connection, so that clients
 * notice.
 */
async function streamOf(
  exported: Omit<Exported<object>, 'version'>,
  format: FileFormat,
  response: Response,
): Promise<Readable> {
  const { columns } = exported;
  const text = fileText(format.head(columns), format.lines(columns), exported.pieces(format));
  const stream = Readable.from(text, { highWaterMark: 1 });
  response.once('close', () => stream.destroy(new CallerLeft()));
  await once(stream, 'readable');
  response.setTimeout(SLOW_CLIENT_MS, () => response.destroy());
  return stream;
}

function encoded(stream: Readable, request: Request, response: Response): Readable {
  const encoding = wantedEncoding(request);
  if (!encoding) return stream;
  setEncoding(response, encoding);
  return pipeline(stream, encoding.stream(), () => {});
}

/** The headers of an answer that may be a file. */
export const FILE_HEADERS: AnswerHeaders = {
  ...REQUEST_ID_HEADER,
  ...ETAG_HEADER,
  'Content-Disposition': {
    required: false,
    description: 'The name of the file.',
    schema: { type: 'string', example: 'attachment; filename="websites.csv"' },
  },
};

export const FILES = Object.fromEntries(
  FILE_FORMATS.map(({ type }) => [type, { schema: { type: 'string' } }]),
);

/**
 * The text of a file, one piece for each piece of rows. Other requests run in between: neither SQLite nor a fast client
 * would let them.
 */
export async function* fileText<T extends object>(
  head: string,
  lines: Lines<T>,
  pieces: AsyncIterable<readonly T[] | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  let isBegun = false;
  for await (const rows of pieces) {
    if (!isBegun) yield head;
    isBegun = true;
    yield rows instanceof Uint8Array ? rows : lines(rows);
    await othersHaveTheirTurn();
  }
  if (!isBegun) yield head;
}
