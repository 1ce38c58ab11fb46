import fc from 'fast-check';
import { size } from '../../test/support/sizes';
import { DayBuilder } from './day-builder';
import { decodeHits, encodeHits, type Hit, NO_HIT } from './hit';
import { COLUMN_NAMES, COLUMNS } from './hit-columns';
import { HitRows } from './hit-rows';
import { WebsiteTexts } from './text-codes';

const DAY = 20_000;
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    '/',
    '"',
    '\\',
    '\\u0041',
    'A',
    '\u0000',
    '\ud800',
    'null',
    '],["',
    'São Paulo',
    '/a?b=1',
  ),
);
const textOrNull = fc.option(text);
const properties = fc.option(
  fc.array(
    fc.tuple(text, fc.oneof(text, fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
    {
      maxLength: 3,
    },
  ),
);
const hit: fc.Arbitrary<Hit> = fc
  .record({
    at: fc.nat(2 ** 31),
    visitor: fc.constantFrom(
      '',
      'AAAAAAAAAAAAAAAAAAAAAA',
      'BAAAAAAAAAAAAAAAAAAAAA',
      'CAAAAAAAAAAAAAAAAAAAAA',
    ),
    event: textOrNull,
    page: text,
    referrer: textOrNull,
    browser: text,
    city: text,
    source: textOrNull,
    hostname: textOrNull,
    properties,
    value: textOrNull,
    currency: textOrNull,
  })
  .map((some) => ({ ...NO_HIT, ...some, day: DAY }));
const hits = fc.array(hit, { maxLength: 12 });

function fieldsIn(rows: HitRows, size: number) {
  return Array.from({ length: size }, (_, row) => [
    rows.at(row),
    ...COLUMN_NAMES.map((name) => rows.text(row, COLUMNS[name].place)),
  ]);
}

function fieldsOf(hits: Hit[]) {
  return hits.map((hit) => [hit.at, ...COLUMN_NAMES.map((name) => COLUMNS[name].value(hit))]);
}

it('have the fields that hits have', () => {
  const rows = new HitRows();
  fc.assert(
    fc.property(hits, (hits) => {
      rows.read(encodeHits(hits), hits.length);
      expect(fieldsIn(rows, hits.length)).toEqual(fieldsOf(decodeHits(encodeHits(hits))));
    }),
  );
});

it('are those of decoded hits, or none, where any byte is another one', () => {
  const rows = new HitRows();
  fc.assert(
    fc.property(hits, fc.nat(), fc.nat(255), fc.boolean(), (hits, at, byte, isCut) => {
      const encoded = encodeHits(hits);
      encoded[at % encoded.length] = byte;
      const damaged = isCut ? encoded.subarray(0, at % encoded.length) : encoded;
      let fields: unknown;
      try {
        rows.read(damaged, hits.length);
        fields = fieldsIn(rows, hits.length);
      } catch {
        return;
      }
      expect(fields).toEqual(fieldsOf(decodeHits(damaged)));
    }),
    { numRuns: size('DAMAGED_ROWS', 300, 10_000) },
  );
});

it.each([
  ['not JSON', '[[1,20000,"v",null,"/"],]'],
  ['more hits', '[[1,20000,"v",null,"/"],[1,20000,"v",null,"/"]]'],
  ['fewer hits', '[]'],
  ['a number for a text', '[[1,20000,"v",null,7]]'],
  ['a negative moment', '[[-1,20000,"v",null,"/"]]'],
  ['no visitor', '[[1,20000]]'],
  ['a line break in a text', '[[1,20000,"v",null,"\n"]]'],
  ['an escape that is none', '[[1,20000,"v",null,"\\q"]]'],
  ['something behind them', '[[1,20000,"v",null,"/"]] 1'],
])('are not read from %s', (_, encoded) => {
  expect(() => new HitRows().read(Buffer.from(encoded), 1)).toThrow();
});

it('are read where JSON is written in another way', () => {
  const rows = new HitRows();
  rows.read(Buffer.from('[ [1, 20000, "v", null, "\\u002f\\/"] ]'), 1);
  expect([rows.at(0), rows.text(0, COLUMNS.page.place)]).toEqual([1, '//']);
});

it('make the columns that hits make, whichever were added before', () => {
  fc.assert(
    fc.property(hits, hits, (first, second) => {
      const [ofHits, ofRows] = [new WebsiteTexts(Infinity), new WebsiteTexts(Infinity)];
      const [byHits, byRows] = [new DayBuilder(DAY, ofHits), new DayBuilder(DAY, ofRows)];
      const rows = new HitRows();
      for (const some of [first, second]) {
        byHits.add(decodeHits(encodeHits(some)));
        rows.read(encodeHits(some), some.length);
        const middle = Math.floor(some.length / 2);
        byRows.addRows(rows, 0, middle);
        byRows.addRows(rows, middle, some.length);
      }
      expect(byRows.columns()).toEqual(byHits.columns());
      for (const name of COLUMN_NAMES) expect(ofRows.of[name].texts).toEqual(ofHits.of[name].texts);
    }),
  );
});
