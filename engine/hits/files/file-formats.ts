import { type Cell, csvCell, csvLine, csvLineOf } from './csv';

type Row = Record<string, unknown>;

export type Lines<T extends object> = (rows: readonly T[]) => string;

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
