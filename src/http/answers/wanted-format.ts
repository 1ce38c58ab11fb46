import { setImmediate as othersHaveTheirTurn } from 'node:timers/promises';
import type { Request } from 'express';
import { NotAcceptable } from '../../common/problems';
import type { Lines } from '../../../engine/hits/files/csv';
import { FILE_FORMATS, type FileFormat } from '../../../engine/hits/files/file-formats';

const JSON_TYPE = 'application/json';
const TYPES = [JSON_TYPE, ...FILE_FORMATS.map(({ type }) => type)];

/** The file format that the header Accept prefers. Undefined if JSON is acceptable. */
export function wantedFile(request: Request): FileFormat | undefined {
  const wanted = request.accepts(TYPES.map(inUtf8));
  if (wanted === false) throw new NotAcceptable(TYPES);
  return FILE_FORMATS.find(({ type }) => inUtf8(type) === wanted);
}

/** The wanted format on routes without JSON: NDJSON, unless the header prefers another one. */
export function wantedFileAlone(request: Request): FileFormat {
  const formats = FILE_FORMATS.toReversed();
  const wanted = request.accepts(formats.map(({ type }) => inUtf8(type)));
  if (wanted === false) throw new NotAcceptable(formats.map(({ type }) => type));
  return formats.find(({ type }) => inUtf8(type) === wanted)!;
}

/** With the charset, an Accept that names the charset matches too. */
export function inUtf8(type: string): string {
  return `${type}; charset=utf-8`;
}

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
