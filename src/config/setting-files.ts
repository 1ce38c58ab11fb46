import { X509Certificate } from 'node:crypto';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Bounds the read if the wrong file was configured. */
const MAX_CERTIFICATES_BYTES = 1024 * 1024;

/** The absolute path of a file that can be read. */
export function readableFile(text: string): string {
  const path = resolve(text);
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new Error(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
  return path;
}

/** Certificates in PEM. */
export function certificates(text: string): string {
  const path = readableFile(text);
  const pem = statSync(path).size <= MAX_CERTIFICATES_BYTES ? readFileSync(path, 'latin1') : '';
  try {
    new X509Certificate(pem);
  } catch {
    throw new Error(`${path} does not contain a PEM certificate`);
  }
  return pem;
}
