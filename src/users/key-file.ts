import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import type { Settings } from '../config/settings';

const NAME = 'first-key';
const MAX_NAMES = 100;
const MAX_DATABASE_LENGTH = 100;

type Places = Pick<Settings, 'database' | 'keyFolder'>;

/** The file with the first key of a database. It is on disk before the key can be used, so that no key is lost. */
export class KeyFile {
  private readonly folder: string;
  private readonly names: string[];
  private readonly draft: string;

  constructor({ database, keyFolder }: Places) {
    this.folder = keyFolder;
    this.names = namesFor(database.kind === 'sqlite' ? parse(database.path).name : database.name);
    this.draft = join(this.folder, `${NAME}-${randomBytes(8).toString('hex')}`);
  }

  get path(): string {
    return join(this.folder, NAME);
  }

  /** Tells whether a file exists that may contain the key. */
  isThere(): boolean {
    return this.names.slice(0, 2).some((name) => existsSync(join(this.folder, name)));
  }

  async write(key: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = await open(this.draft, 'wx', 0o600);
    try {
      await file.writeFile(`${key}\n`);
      await file.sync();
    } catch (error) {
      await this.remove();
      throw error;
    } finally {
      await file.close();
    }
  }

  /**
   * Gives the file the first free name and returns its path. An existing file is never replaced: another service may
   * have written it. If no name is free or the folder does not support links, the draft's name stays.
   */
  async publish(): Promise<string> {
    for (const name of this.names) {
      const path = join(this.folder, name);
      try {
        await link(this.draft, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        return this.draft;
      }
      await this.remove();
      return path;
    }
    return this.draft;
  }

  remove(): Promise<void> {
    return rm(this.draft, { force: true });
  }
}

/** `first-key`, `first-key.milepost`, `first-key.milepost-2`, … */
function namesFor(database: string): string[] {
  const own = `${NAME}.${basename(database)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, MAX_DATABASE_LENGTH)}`;
  const further = Array.from({ length: MAX_NAMES }, (_, index) => `${own}-${index + 2}`);
  return [NAME, own, ...further];
}
