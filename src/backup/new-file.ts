import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, statSync } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { CommandError } from '../../engine/ground/errors';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Most bytes are compressed already. */
const LEVEL = 1;

/** Where a backup goes: a name of its moment in a folder, or the file itself. Makes missing folders. */
export async function placeFor(to: string, madeAt: string): Promise<string> {
  const isFolder = to.endsWith('/') || statSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isFolder ? join(to, `milepost-${madeAt.replaceAll(':', '-')}.backup`) : to;
  if (existsSync(path)) throw new CommandError(`${path} exists already`);
  await naming(path, () => mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE }));
  return path;
}

/** Compresses lines into a file that has its name once it is complete. Never replaces a file. */
export async function writeNewFile(
  path: string,
  lines: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`;
  await naming(path, async () => {
    try {
      const file = createWriteStream(draft, { flags: 'wx', mode: FILE_MODE });
      await pipeline(Readable.from(lines), createGzip({ level: LEVEL }), file, { signal });
      await flush(draft);
      await takeName(draft, path);
      await flush(dirname(path));
    } finally {
      await rm(draft, { force: true });
    }
  });
}

async function flush(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A link fails if the name is taken. Some file systems have none. */
async function takeName(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(path))
      throw new CommandError(`${path} exists already`);
    await rename(draft, path);
  }
}

/** Errors of files name the file in one line. */
async function naming(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // The drivers of databases say of their own errors whether they end a connection.
    if (syscall === undefined || 'fatal' in (error as object)) throw error;
    throw new CommandError(`${path} cannot be written (${code})`);
  }
}
