export type Cell = string | number | boolean | null;
type Row = Record<string, unknown>;

export type Lines<T extends object> = (rows: readonly T[]) => string;

/**
 * A spreadsheet takes a text with such a begin for a formula, and may skip blanks and invisible characters before it.
 * After an apostrophe it shows the text unchanged.
 */
const FORMULA = /^(?:[\t\r\n]|[\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;
/**
 * If numbers have a decimal comma, a spreadsheet splits lines at semicolons or tabs. From the second column on, a quote
 * does not protect the cell then, so the rest of a text after one of these, or after a line break, becomes a cell of
 * its own.
 */
const SPLITS = /[;\t\r\n]/;
const RUNS = /([";\p{White_Space}\p{Cc}\p{Cf}]+)([=+\-@＝＋－＠]?)/gu;
/** A minus sign may begin it. */
const NUMBER = /^-?\d+(\.\d+)?$/;
const NUL = /\0/g;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A line in the format of RFC 4180. */
export function csvLine(cells: readonly Cell[]): string {
  return csvLineOf(cells.map(csvCell));
}

/** A line of encoded cells. */
function csvLineOf(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

export function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const plain = String(cell).replace(NUL, '\ufffd');
  const text = typeof cell === 'string' && !NUMBER.test(plain) ? withoutFormulas(plain) : plain;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function withoutFormulas(text: string): string {
  const begun = FORMULA.test(text) ? `'${text}` : text;
  if (!SPLITS.test(begun)) return begun;
  return begun.replaceAll(RUNS, (whole, run: string, sign: string) =>
    sign !== '' && SPLITS.test(run) ? `${run}'${sign}` : whole,
  );
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

/** The format of a whole file. Its head names the columns. */
export const CSV = { type: 'text/csv', extension: 'csv', head: csvLine, lines: csvLines } as const;
