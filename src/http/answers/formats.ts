import { setImmediate as othersHaveTheirTurn } from 'node:timers/promises';
import type { Request } from 'express';
import { NotAcceptable } from '../../common/problem';
import { type Cell, csvCell, csvLine, csvLineOf } from './csv';

type Row = Record<string, unknown>;

type Lines<T extends object> = (rows: readonly T[]) => string;

/** How rows are written into a file. */
export interface FileFormat {
  readonly type: string;
  readonly extension: string;
  head(columns: readonly string[]): string;
  /** Writes the lines of one file, in their order. */
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

/** The file that the header Accept asks for; none where JSON will do. */
export function wantedFile(request: Request): FileFormat | undefined {
  const wanted = request.accepts(TYPES.map(inUtf8));
  if (wanted === false) throw new NotAcceptable(TYPES);
  return FILE_FORMATS.find(({ type }) => inUtf8(type) === wanted);
}

/** The same where there is no JSON: NDJSON, unless the header asks for another one. */
export function wantedFileAlone(request: Request): FileFormat {
  const formats = FILE_FORMATS.toReversed();
  const wanted = request.accepts(formats.map(({ type }) => inUtf8(type)));
  if (wanted === false) throw new NotAcceptable(formats.map(({ type }) => type));
  return formats.find(({ type }) => inUtf8(type) === wanted)!;
}

/** With its charset a type is found by an Accept that names the charset as well. */
export function inUtf8(type: string): string {
  return `${type}; charset=utf-8`;
}

/** What is no text, number or truth value is put down as JSON. */
function cellOf(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ((value ?? null) as Cell);
}

/** A text that is kept as long as its value does not change: most of a row is as in the row before. */
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
    kept: new BufferedText((value) => csvCell(cellOf(value))),
  }));
  const line = (row: Row) => csvLineOf(cells.map(({ column, kept }) => kept.of(row[column])));
  return (rows) => rows.map((row) => line(row as Row)).join('');
}

/**
 * The text of a file, a piece for each piece of the rows, with others having their turn in between: SQLite answers, and
 * a fast client takes what is sent, without giving them one.
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
