import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

type Value = string | number | null | [string];

/** The head of a backup and the rows of its tables. */
export interface Backup {
  head: any;
  rows: Value[][];
}

export function readBackup(path: string): Backup {
  const [head, ...rows] = gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { head, rows };
}

export function writeBackup(path: string, { head, rows }: Backup): void {
  writeFileSync(path, gzipSync([head, ...rows].map((line) => `${JSON.stringify(line)}\n`).join('')));
}

/** All values, bytes as hexadecimal digits. */
export function textsOfBackup(path: string): string {
  return readBackup(path)
    .rows.flat()
    .map((value) => (Array.isArray(value) ? Buffer.from(value[0], 'base64').toString('hex') : String(value)))
    .join('\n');
}
