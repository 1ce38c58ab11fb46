import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultDataFolder } from './data-folder';

const before = process.cwd();
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'milepost-data-')));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

it('is beside the sources in a clone', () => {
  expect(defaultDataFolder(true)).toBe(join(folder, 'data'));
});

it("is the user's for a package, unless a database is here", () => {
  expect(defaultDataFolder(false, () => '/home/ann')).toBe('/home/ann/.local/share/milepost');
  mkdirSync('data');
  expect(defaultDataFolder(false, () => '/home/ann')).toBe('/home/ann/.local/share/milepost');
  writeFileSync('data/milepost.sqlite', '');
  expect(defaultDataFolder(false, () => '/home/ann')).toBe(join(folder, 'data'));
});

it('is named by a setting for a user without a home folder', () => {
  const homeless = () => {
    throw new Error('uv_os_homedir returned ENOENT');
  };
  expect(() => defaultDataFolder(false, homeless)).toThrow('MILEPOST_DATA');
});
