export type Cell = string | number | boolean | null;

/**
 * A spreadsheet takes a text that begins so for a formula, and may skip blanks and what is invisible before it. After an
 * apostrophe it shows the text as it is.
 */
const FORMULA = /^(?:[\t\r\n]|[\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;
const NUL = /\0/g;
/** Where people write numbers with a comma, spreadsheets take a semicolon between cells. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A line in the format of RFC 4180. */
export function csvLine(cells: readonly Cell[]): string {
  return csvLineOf(cells.map(csvCell));
}

/** The line of cells that were written before. */
export function csvLineOf(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

export function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const plain = String(cell).replace(NUL, '\ufffd');
  const text = typeof cell === 'string' && FORMULA.test(plain) ? `'${plain}` : plain;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
