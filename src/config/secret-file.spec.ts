import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSecretFile } from './secret-file';
import { SettingError } from '../../engine/ground/setting-error';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'milepost-secret-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('makes a secret that its owner alone can read, and reads the same one from then on', () => {
  const path = join(folder, 'data', 'secret');
  const made = readSecretFile(path);
  expect(made).toHaveLength(32);
  expect(readSecretFile(path)).toEqual(made);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'data'))).toEqual(['secret']);
});

it('keeps the secret that another process made in the same moment', () => {
  const path = join(folder, 'secret');
  const others = readSecretFile(join(folder, 'other'));
  const written = jest.spyOn(jest.requireActual<typeof import('node:fs')>('node:fs'), 'fsyncSync');
  written.mockImplementationOnce(() => writeFileSync(path, readFileSync(join(folder, 'other'))));
  expect(readSecretFile(path)).toEqual(others);
  expect(readdirSync(folder).sort()).toEqual(['other', 'secret']);
  written.mockRestore();
});

it.each([
  ['', 'is empty'],
  ['secret', 'is too short'],
  ['g'.repeat(64), 'has other characters'],
  ['a'.repeat(2000), 'is too long'],
])('refuses a file that %#', (text) => {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  expect(() => readSecretFile(path)).toThrow(SettingError);
  expect(() => readSecretFile(path)).toThrow(/^SECRET_FILE: [^\n]+ does not hold a secret/);
});

it('names the setting if the file cannot be created', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => readSecretFile(join(file, 'secret'))).toThrow(/^SECRET_FILE: .+ \((EEXIST|ENOTDIR)\)$/);
  expect(() => readSecretFile(folder)).toThrow(/^SECRET_FILE: .+ does not hold a secret/);
});
