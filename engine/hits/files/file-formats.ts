import { CSV, type Lines } from './csv';

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
  CSV,
  {
    type: NDJSON,
    extension: 'ndjson',
    head: () => '',
    lines: () => (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  },
];
