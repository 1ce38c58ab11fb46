import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstKeyText } from './first-key';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'milepost-first-key-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** The users of one database; the first start with a key creates one. */
class Users {
  key: string | undefined;

  areThere = () => Promise.resolve(this.key !== undefined);
  bootstrap = (key: string) => {
    const isFirst = this.key === undefined;
    this.key ??= key;
    return Promise.resolve(isFirst);
  };
  onlyUserWithoutUse = () => Promise.resolve(undefined);
}

const startIn = (place: string, name: string) => ({
  database: { kind: 'sqlite' as const, path: join(place, `${name}.sqlite`) },
  keyFolder: place,
  bootstrapApiKey: undefined,
});

async function start(users: Users, name = 'milepost', place = folder): Promise<string> {
  return firstKeyText(users, startIn(place, name), 'http://127.0.0.1:3000', false);
}

const pathIn = (text: string) => /^Your API key is in (.*)\. Read it/m.exec(text)?.[1];

it('never replaces a file, and names later ones after their database', async () => {
  const paths: string[] = [];
  for (const name of ['milepost', 'shop', 'shop', 'a b%']) {
    const users = new Users();
    const path = pathIn(await start(users, name))!;
    expect(readFileSync(path, 'utf8')).toBe(`${users.key}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    paths.push(path);
  }
  const names = ['first-key', 'first-key.shop', 'first-key.shop-2', 'first-key.a_b_'];
  expect(paths).toEqual(names.map((name) => join(folder, name)));
  expect(readdirSync(folder).sort()).toEqual([...names].sort());
});

it('does not write through a link that is there already', async () => {
  const target = join(folder, 'target');
  symlinkSync(target, join(folder, 'first-key'));
  const users = new Users();
  expect(pathIn(await start(users))).toBe(join(folder, 'first-key.milepost'));
  expect(lstatSync(join(folder, 'first-key')).isSymbolicLink()).toBe(true);
  expect(readdirSync(folder).sort()).toEqual(['first-key', 'first-key.milepost']);
});

it('writes one file if several processes start together', async () => {
  const users = new Users();
  const texts = await Promise.all(Array.from({ length: 5 }, () => start(users)));
  expect(texts.map(pathIn).filter(Boolean)).toEqual([join(folder, 'first-key')]);
  expect(readdirSync(folder)).toEqual(['first-key']);
  expect(readFileSync(join(folder, 'first-key'), 'utf8')).toBe(`${users.key}\n`);
});

it('makes no key that it cannot write', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const place = join(file, 'data');
  const users = new Users();
  expect(await start(users, 'milepost', place)).toContain(`${place}/first-key cannot be written (ENOTDIR)`);
  expect(users.key).toBeUndefined();
});
