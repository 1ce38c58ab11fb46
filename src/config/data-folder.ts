import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SettingError } from '../../engine/ground/setting-error';
import { hasSources } from '../../engine/ground/threads/built-file';

export const SQLITE_FILE = 'milepost.sqlite';

/** `data` in a clone. A package, which has no sources, has its data with the user, unless a database is here. */
export function defaultDataFolder(isClone = hasSources, homeOf = homedir): string {
  const here = resolve('data');
  const isHere = isClone || existsSync(join(here, SQLITE_FILE));
  return isHere ? here : join(known(homeOf), '.local/share/milepost');
}

/** Some users of containers have none. */
function known(homeOf: () => string): string {
  try {
    return homeOf();
  } catch {
    throw new SettingError('MILEPOST_DATA', 'is needed, because this user has no home folder');
  }
}

/** It need not exist yet. */
export function folder(text: string): string {
  const path = resolve(text);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Error(`${path} is not a folder`);
  return path;
}
