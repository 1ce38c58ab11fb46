import { type Codes, type FewCodes, unpacked } from './code-list';

/** A column of texts in memory: a number for each hit or visitor, where zero is no text. */
export interface ColumnCodes {
  readonly rows: Codes | FewCodes;
  /** The website's code of each number; undefined where they are the same. */
  readonly codeOf: Codes | undefined;
}

/** The website's code of each of so many rows. */
export function websiteCodes({ rows, codeOf }: ColumnCodes, size: number): Codes {
  if (!codeOf) return unpacked(rows, size);
  if ('positions' in rows) return unpacked({ ...rows, codes: translated(rows.codes, codeOf) }, size);
  return translated(rows, codeOf);
}

function translated(rows: Codes, codeOf: Codes): Codes {
  const codes = new (codeOf.constructor as new (length: number) => Codes)(rows.length);
  for (let row = 0; row < codes.length; row++) codes[row] = codeOf[rows[row]!]!;
  return codes;
}
