import { columnsOf } from '../../../test/support/columns-of';
import fc from 'fast-check';
import { size } from '../../../test/support/sizes';
import { DayBuilder } from '../segments/day-builder';
import { type Hit, NO_HIT } from '../../hits/hit';
import { type ColumnName, COLUMN_NAMES } from '../../hits/hit-columns';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { Batch, type BatchKey, DamagedBatch, encodeBatch, type StoredBatch } from './batch';
import { BatchBuilder } from './batch-builder';
import { hitsOfBatch } from './hits-of-batch';

const DAY = 20_000;
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '/', '"', '\u0000', '\ud800', 'null', 'São Paulo', '/a?b=1'),
);
const textOrNull = fc.option(text);
const visitors = ['', 'AAAAAAAAAAA', 'BAAAAAAAAAA', 'CAAAAAAAAAA', '_________-A'].map((name) =>
  Buffer.from(name, 'base64url').toString('base64url'),
);
const hit: fc.Arbitrary<Hit> = fc
  .record({
    at: fc.oneof(fc.nat(2 ** 31), fc.nat(100)),
    visitor: fc.constantFrom(...visitors),
    event: textOrNull,
    page: text,
    referrer: fc.option(fc.constantFrom('a.example', 'b.example')),
    browser: fc.constantFrom('Firefox', 'Chrome'),
    city: text,
    source: textOrNull,
    properties: fc.option(fc.array(fc.tuple(text, fc.oneof(text, fc.boolean(), fc.nat())), { maxLength: 3 })),
    value: textOrNull,
    isPassive: fc.boolean(),
  })
  .map((some) => ({ ...NO_HIT, ...some, day: DAY }));
const hits = fc.array(hit, { minLength: 1, maxLength: 30 });

const keyOf = (own: Hit[], firstHit = 0): BatchKey => ({
  websiteId: 7,
  day: DAY,
  firstHit,
  size: own.length,
});

async function storedFrom(key: BatchKey, builder: BatchBuilder): Promise<StoredBatch> {
  const { data, hashes } = await encodeBatch(key, builder.columns());
  return { ...key, lastAt: 0, forgetAt: 0, data, hashes };
}

function stored(own: Hit[], firstHit = 0): Promise<StoredBatch> {
  const builder = new BatchBuilder();
  builder.add(own);
  return storedFrom(keyOf(own, firstHit), builder);
}

const batchOf = async (own: Hit[], firstHit = 0) => Batch.open(await stored(own, firstHit));

it('has the hits that it was made of, from any to any', () =>
  fc.assert(
    fc.asyncProperty(hits, fc.nat(30), fc.nat(30), async (own, from, before) => {
      const batch = await batchOf(own);
      const rows = { from, before: Math.min(before, own.length) };
      expect([...hitsOfBatch(batch, rows)].flat()).toEqual(own.slice(from, Math.max(from, rows.before)));
    }),
  ));

it('has the same hits where it was made of other batches', () =>
  fc.assert(
    fc.asyncProperty(fc.array(hits, { minLength: 1, maxLength: 4 }), async (pieces) => {
      const builder = new BatchBuilder();
      for (const own of pieces) builder.addColumns(await batchOf(own));
      const all = pieces.flat();
      const batch = await Batch.open(await storedFrom(keyOf(all), builder));
      expect([...hitsOfBatch(batch)].flat()).toEqual(all);
    }),
  ));

it('makes the columns that hits make, whichever are needed first and wherever batches begin', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(hits, { minLength: 1, maxLength: 4 }),
      fc.subarray(COLUMN_NAMES),
      fc.nat(60),
      async (pieces, first, end) => {
        const all = pieces.flat();
        const before = Math.min(end, all.length);
        const [ofHits, ofBatches] = [new WebsiteTexts(Infinity), new WebsiteTexts(Infinity)];
        const [byHits, byBatches] = [new DayBuilder(DAY, ofHits), new DayBuilder(DAY, ofBatches, first)];
        let place = 0;
        for (const own of pieces) {
          if (place < before) byBatches.add(await batchOf(own, place), place, before);
          place += own.length;
        }
        expect(byBatches.hits).toBe(before);
        const merged = await batchOf(all);
        byBatches.add(merged, 0);
        byBatches.need(COLUMN_NAMES);
        expect(byBatches.next).toBe(first.length === COLUMN_NAMES.length ? all.length : 0);
        byBatches.add(merged, 0);
        byHits.add(columnsOf(all));
        expect(readable(byBatches, ofBatches)).toEqual(readable(byHits, ofHits));
      },
    ),
  ));

/** Columns with texts, since their codes depend on the order in which they came. */
function readable(builder: DayBuilder, texts: WebsiteTexts) {
  const { codes, ...others } = builder.columns();
  const unpacked = (name: ColumnName) => {
    const { rows } = codes[name]!;
    const known = 'positions' in rows ? [...rows.positions] : undefined;
    return [known, Array.from('positions' in rows ? rows.codes : rows, (code) => texts.of[name].texts[code])];
  };
  return [others, COLUMN_NAMES.map(unpacked)];
}

it('tells its visitors from each other without their hashes', async () => {
  const own = [...visitors, ...visitors].map((visitor) => ({ ...NO_HIT, day: DAY, visitor }));
  const first = [...hitsOfBatch(await Batch.open({ ...(await stored(own)), hashes: null }))].flat();
  const second = [...hitsOfBatch(await Batch.open({ ...(await stored(own, 10)), hashes: null }))].flat();
  const names = [...first, ...second].map(({ visitor }) => visitor);
  expect(new Set(names).size).toBe(1 + 2 * (visitors.length - 1));
  expect(names.filter((name) => name !== '' && visitors.includes(name))).toEqual([]);
});

it('tells the rows of a visitor of whom each hit says something else', async () => {
  const screens = Array.from({ length: 40 }, (_, index) => `${index % 20}x1`);
  const own = screens.map((screen) => ({ ...NO_HIT, day: DAY, visitor: visitors[1]!, screen }));
  const builder = new BatchBuilder();
  builder.add(own);
  expect(builder.columns().rows).toBe(20);
  builder.addColumns(await batchOf(own));
  expect(builder.columns().rows).toBe(20);
  expect([...hitsOfBatch({ ...builder.columns(), key: keyOf(own) })].flat()).toEqual([...own, ...own]);
});

it('of one hit is small', async () => {
  const { data, hashes } = await stored([
    { ...NO_HIT, at: 1.7e9, visitor: visitors[1]!, page: '/pricing', browser: 'Firefox', city: 'Berlin, DE' },
  ]);
  expect(data.length + hashes!.length).toBeLessThan(150);
});

it.each(['data', 'hashes'] as const)('is an error where any bit of its %s is another one', (part) =>
  fc.assert(
    fc.asyncProperty(hits, fc.nat(), fc.nat(7), fc.boolean(), async (own, at, bit, isCut) => {
      const batch = await stored(own);
      const bytes = Buffer.from(batch[part]!);
      bytes[at % bytes.length]! ^= 1 << bit;
      const damaged = { ...batch, [part]: isCut ? bytes.subarray(0, at % bytes.length) : bytes };
      await expect(Batch.open(damaged)).rejects.toThrow(DamagedBatch);
    }),
    { numRuns: size('DAMAGED_ROWS', 300, 10_000) },
  ),
);

it.each(['websiteId', 'day', 'firstHit', 'size'] as const)('is an error under another %s', async (field) => {
  const batch = await stored([NO_HIT]);
  await expect(Batch.open({ ...batch, [field]: batch[field] + 1 })).rejects.toThrow(DamagedBatch);
});
