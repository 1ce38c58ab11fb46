import { randomBytes } from 'node:crypto';
import { TextRowBuilder } from './text-rows';
import { eachText, FULL_ROW_BYTES, MAX_TEXT_ROW_BYTES, type TextRow, textsIn } from './value-texts-format';

const TABLE = { websiteId: 7, generation: 2, name: 3 };

function rowsOf(values: string[], last?: TextRow): TextRow[] {
  const rows = new TextRowBuilder(TABLE, last);
  for (const value of values) {
    const bytes = Buffer.from(value);
    rows.add(bytes, 0, bytes.length);
  }
  return rows.finish();
}

function valuesIn(rows: TextRow[]): string[] {
  return rows.flatMap((row) => {
    const texts = textsIn(row);
    const values: string[] = [];
    eachText(texts, (_, begin, end) => values.push(texts.bytes.toString('utf8', begin, end)));
    return values;
  });
}

const incompressible = (size: number) => Array.from({ length: size }, () => randomBytes(400).toString('hex'));

it('gives each text the next code', () => {
  const rows = new TextRowBuilder(TABLE);
  const add = (value: string) => rows.add(Buffer.from(value), 0, value.length);
  expect(['/a', '/b', '/c'].map(add)).toEqual([0, 1, 2]);
  const [row] = rows.finish();
  expect(new TextRowBuilder(TABLE, row).add(Buffer.from('/d'), 0, 2)).toBe(3);
  expect(new TextRowBuilder(TABLE, row).finish()).toEqual([]);
});

it('fills the last row up, and begins another one where it is full', () => {
  const before = ['/a', '/b'];
  const [small] = rowsOf(before);
  const [longer, ...none] = rowsOf(['/c'], small);
  expect([longer!.firstCode, longer!.size, none]).toEqual([0, 3, []]);
  expect(valuesIn([longer!])).toEqual([...before, '/c']);

  const many = incompressible(200);
  const [full] = rowsOf(many, small);
  expect(full!.data.length).toBeGreaterThan(FULL_ROW_BYTES);
  const [next] = rowsOf(['/c'], full);
  expect([next!.firstCode, next!.size]).toEqual([202, 1]);
});

it('begins another row where no further text fits, though the last one packs well', () => {
  const alike = Array.from({ length: 300 }, (_, index) => 'a'.repeat(900) + String(index));
  const [first, second] = rowsOf(alike);
  expect(first!.data.length).toBeLessThan(FULL_ROW_BYTES);
  expect(second!.firstCode).toBe(first!.size);
  expect(rowsOf(['b'.repeat(1024)], first).map(({ firstCode }) => firstCode)).toEqual([first!.size]);
});

it('makes rows of limited size of very many texts', () => {
  const many = incompressible(1500);
  const rows = rowsOf(many);
  expect(valuesIn(rows)).toEqual(many);
  expect(rows.length).toBeGreaterThan(4);
  for (const { data } of rows) expect(data.length).toBeLessThanOrEqual(MAX_TEXT_ROW_BYTES);
});
