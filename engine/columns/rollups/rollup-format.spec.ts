import fc from 'fast-check';
import { Sums } from '../../hits/sums';
import {
  addSection,
  ALL_NAMES,
  DamagedRollup,
  entriesInDirectory,
  MAX_DIRECTORY_BYTES,
  MAX_ROLLUP_BYTES,
  RollupBuilder,
  type RollupKey,
  type RollupRow,
  sectionIn,
  SPANS,
} from './rollup-format';

const KEY: RollupKey = { websiteId: 7, span: SPANS.day, day: 20_000, number: 12 };

type Counts = [code: number, count: number][];

function sumsOf(counts: Counts): Sums {
  const sums = new Sums();
  for (const [code, count] of counts) sums.add(code, count);
  return sums;
}

function rollupRows(key: RollupKey, counts: Map<number, Sums>): RollupRow[] {
  const builder = new RollupBuilder(key);
  for (const [name, sums] of counts) builder.add(name, sums);
  return builder.rows();
}

const nonZero = (sums: Sums): Counts => Array.from(sums.codes(), (code) => [code, sums.counts[code]!]);

/** The counts in all rows of a rollup, by the code of the name. */
function read(rows: RollupRow[]): Map<number, Counts> {
  const found = new Map<number, Counts>();
  const [directory] = rows.filter(({ name }) => name === ALL_NAMES);
  for (const { name, parts, bytes, section } of entriesInDirectory(KEY, directory!.data)) {
    const sums = new Sums();
    const own = rows.filter((row) => row.name === name);
    expect(own.map(({ part }) => part)).toEqual(Array.from({ length: parts }, (_, part) => part));
    if (section) addSection(sums, section);
    else expect(own.reduce((sum, { data }) => sum + data.length, 0)).toBe(bytes);
    for (const { part, data } of own) addSection(sums, sectionIn(KEY, name, part, data));
    found.set(name, nonZero(sums));
  }
  return found;
}

it('gives back what was written, name by name', () => {
  const count = fc.oneof(
    fc.integer({ min: 1, max: 300 }),
    fc.maxSafeNat().filter((hits) => hits > 0),
  );
  const counts = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 100_000 }), count), {
    selector: ([code]) => code,
    maxLength: 2000,
  });
  const names = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 15 }), counts), {
    selector: ([name]) => name,
    maxLength: 14,
  });
  fc.assert(
    fc.property(names, (all) => {
      const rows = rollupRows(KEY, new Map(all.map(([name, own]) => [name, sumsOf(own)])));
      const sorted = all.map(([name, own]): [number, Counts] => [
        name,
        [...own].sort(([one], [other]) => one - other),
      ]);
      expect(read(rows)).toEqual(new Map(sorted.filter(([, own]) => own.length > 0)));
    }),
    { numRuns: 50 },
  );
});

it('puts small names in one row, and gives others rows of limited size', () => {
  const of = (size: number, count: number) =>
    sumsOf(Array.from({ length: size }, (_, index) => [3 * index, count]));
  const counts = new Map([
    [3, of(200_000, 1)],
    [4, of(60_000, 2 ** 50)],
    [5, of(3000, 1)],
    [6, of(900, 1)],
    [7, of(3, 1000)],
  ]);
  const rows = rollupRows(KEY, counts);
  expect(read(rows)).toEqual(new Map([...counts].map(([name, sums]) => [name, nonZero(sums)])));
  expect(rows[0]!.data.length).toBeLessThanOrEqual(MAX_DIRECTORY_BYTES);
  for (const { data } of rows) expect(data.length).toBeLessThanOrEqual(MAX_ROLLUP_BYTES);
  expect(rows.map(({ name, part }) => [name, part])).toEqual([
    [ALL_NAMES, 0],
    ...[0, 1, 2].map((part) => [3, part]),
    ...[0, 1, 2].map((part) => [4, part]),
  ]);
});

it('keeps its format', () => {
  const [row] = rollupRows(
    KEY,
    new Map([
      [
        3,
        sumsOf([
          [1, 1],
          [200, 3_000_000_000],
        ]),
      ],
    ]),
  );
  expect(row!.data.toString('hex')).toBe('013663b9c9' + '03000b' + 'c801' + '0101' + 'c70180bcc1960b');
});

it('notices any change of a byte, and a row in another one’s place', () => {
  const counts = new Map([[3, sumsOf(Array.from({ length: 9000 }, (_, code) => [code, 1]))]]);
  const [directory, row] = rollupRows(KEY, counts);
  for (const { name, data } of [directory!, row!]) {
    const decode = (key: RollupKey, own: Buffer, part = 0) =>
      name === ALL_NAMES ? entriesInDirectory(key, own) : sectionIn(key, name, part, own);
    for (let at = 0; at < data.length; at += Math.max(1, Math.floor(data.length / 100))) {
      const changed = Buffer.from(data);
      changed[at]! ^= 1;
      expect(() => decode(KEY, changed)).toThrow(DamagedRollup);
    }
    for (const cut of [0, 1, 4, 5, data.length - 1])
      expect(() => decode(KEY, data.subarray(0, cut))).toThrow(DamagedRollup);
    for (const other of [{ websiteId: 8 }, { span: SPANS.month }, { day: 20_001 }, { number: 13 }])
      expect(() => decode({ ...KEY, ...other }, data)).toThrow(DamagedRollup);
  }
  expect(() => sectionIn(KEY, 3, 1, row!.data)).toThrow(DamagedRollup);
});

it('names what is damaged', () => {
  expect(() => sectionIn(KEY, 3, 2, Buffer.alloc(9))).toThrow(
    'The rollup of page on 2024-10-04 is damaged (website 7, part 2).',
  );
  expect(() => entriesInDirectory({ ...KEY, span: SPANS.month, day: 19_997 }, Buffer.alloc(9))).toThrow(
    'The rollup of all names in the month from 2024-10-01 is damaged (website 7, part 0).',
  );
});

it('refuses counts that are below nothing', () => {
  expect(() => rollupRows(KEY, new Map([[3, sumsOf([[1, -1]])]]))).toThrow(RangeError);
});
