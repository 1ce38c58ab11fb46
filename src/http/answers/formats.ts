import { setImmediate as othersHaveTheirTurn } from 'node:timers/promises';
import type { Request } from 'express';
import { NotAcceptable } from '../../common/problem';
import { type Cell, csvCell, csvLine, csvLineOf } from './csv';

type Row = Record<string, unknown>;

type Lines<T extends object> = (rows: readonly T[]) => string;

/** A file format for rows. */
export interface FileFormat {
  readonly type: string;
  readonly extension: string;
  head(columns: readonly string[]): string;
  /** Creates the writer of one file. It must get the lines in order. */
  lines(columns: readonly string[]): Lines<object>;
}

export const NDJSON = 'application/x-ndjson';

export const FILE_FORMATS: readonly FileFormat[] = [
  {
    type: 'text/csv',
    extension: 'csv',
    head: csvLine,
    lines: csvLines,
  },
  {
    type: NDJSON,
    extension: 'ndjson',
    head: () => '',
    lines: () => (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  },
];

const JSON_TYPE = 'application/json';
const TYPES = [JSON_TYPE, ...FILE_FORMATS.map(({ type }) => type)];

/** The file format that the header Accept prefers. Undefined if JSON is acceptable. */
export function wantedFile(request: Request): FileFormat | undefined {
  const wanted = request.accepts(TYPES.map(inUtf8));
  if (wanted === false) throw new NotAcceptable(TYPES);
  return FILE_FORMATS.find(({ type }) => inUtf8(type) === wanted);
}

/** The same for routes without JSON: NDJSON, unless the header prefers another format. */
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

/** Other values are written as JSON. */
function cellOf(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ((value ?? null) as Cell);
}

/** Keeps the text of a value until the value changes, because rows often repeat the values of the row before. */
class BufferedText {
  private value: unknown = this;
  private text = '';

  constructor(private readonly textOf: (value: unknown) => string) {}

  of(value: unknown): string {
    if (value !== this.value) {
      this.text = this.textOf(value);
      this.value = value;
    }
    return this.text;
  }
}

function csvLines(columns: readonly string[]): Lines<object> {
  const cells = columns.map((column) => ({
    column,
    text: new BufferedText((value) => csvCell(cellOf(value))),
  }));
  const line = (row: Row) => csvLineOf(cells.map(({ column, text }) => text.of(row[column])));
  return (rows) => rows.map((row) => line(row as Row)).join('');
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
