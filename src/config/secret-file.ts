import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SettingError } from '../../engine/ground/setting-error';

const SECRET_BYTES = 32;
const SECRET = /^[0-9a-f]{64}\s*$/;
/** Bounds the read if the wrong file was configured. */
const MAX_FILE_BYTES = 1024;

/** Reads the secret of this installation. The first process creates it. */
export function readSecretFile(path: string): Buffer {
  try {
    return readSecret(path) ?? makeSecret(path);
  } catch (error) {
    if (error instanceof SettingError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError('SECRET_FILE', `${path} cannot be read or created (${code})`);
  }
}

function readSecret(path: string): Buffer | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) return undefined;
  const text = status.isFile() && status.size <= MAX_FILE_BYTES ? readFileSync(path, 'latin1') : '';
  if (!SECRET.test(text))
    throw new SettingError('SECRET_FILE', `${path} does not hold a secret of 64 hexadecimal digits`);
  return Buffer.from(text.trim(), 'hex');
}

/** Links the file into place once it is complete, so that processes that start together all read the same secret. */
function makeSecret(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeDurably(draft, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readSecret(path)!;
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
