export type Cell = string | number | boolean | null;

/** A spreadsheet takes a text that begins so for a formula; after an apostrophe it shows it as it is. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Where people write numbers with a comma, spreadsheets take a semicolon between cells. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A line as RFC 4180 has it. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : String(cell);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
