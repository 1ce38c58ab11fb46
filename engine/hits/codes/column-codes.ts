import { type Codes, type FewCodes, unpacked } from './code-list';

/** A text column in memory: a number for each hit or visitor. Zero means no text. */
export interface ColumnCodes {
  readonly rows: Codes | FewCodes;
  /** The website's code of each number. Undefined if the numbers are the website's codes. */
  readonly codeOf: Codes | undefined;
}

/** The website's codes, packed like the column. */
export function websiteRows({ rows, codeOf }: ColumnCodes): Codes | FewCodes {
  if (!codeOf) return rows;
  return 'positions' in rows ? { ...rows, codes: translated(rows.codes, codeOf) } : translated(rows, codeOf);
}

/** The website's code for each row. */
export function websiteCodes(column: ColumnCodes, size: number): Codes {
  return unpacked(websiteRows(column), size);
}

function translated(rows: Codes, codeOf: Codes): Codes {
  const codes = new (codeOf.constructor as new (length: number) => Codes)(rows.length);
  for (let row = 0; row < codes.length; row++) codes[row] = codeOf[rows[row]!]!;
  return codes;
}
