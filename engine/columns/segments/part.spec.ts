import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { size } from '../../../test/support/sizes';
import { dayText } from '../../ground/time/days';
import { hitsOfBlock } from '../../hits/hits-of-block';
import { DayBuilder } from './day-builder';
import { FIELDS } from '../../hits/fields';
import { type Hit, NO_HIT } from '../../hits/hit';
import { Part } from './part';
import { TIMES } from '../../hits/hit-columns';
import { columnOf, decodedTimes, encodePart, type EncodedPart, STRUCTURE } from './part-format';
import { PartTexts } from './part-texts';
import { columnsIn, MAX_PART_ROW_BYTES, type PartRow, rowsOfPart } from './part-rows';
import { WebsiteTexts } from '../../hits/codes/text-codes';

const KEY = { websiteId: 7, segment: 31, part: 2 };
const FIRST_DAY = 20_000;

const text = fc.oneof(
  fc.constantFrom('', ' ', '/', '/A', '/a', 'null', '__proto__', 'constructor', '\u0000', 'é', 'é', '🙂'),
  fc.string({ unit: 'binary' }),
  // Half a character, which UTF-8 cannot encode.
  fc.constantFrom('\ud83d', '\ude42\ud83d'),
);
const perhaps = fc.option(text, { freq: 3 });
const ALL_FIELDS = Object.values(FIELDS);
const TEXTS = ALL_FIELDS.filter(({ none }) => none === '' || none === null);
const OF_VISITORS = ALL_FIELDS.filter(({ level }) => level === 'visitor');

const hit = fc.record({
  ...Object.fromEntries(TEXTS.map(({ key, none }) => [key, none === null ? perhaps : text])),
  at: fc.oneof(fc.integer({ min: 1_700_000_000, max: 1_700_090_000 }), fc.nat(2 ** 32 - 1)),
  day: fc.integer({ min: FIRST_DAY, max: FIRST_DAY + 2 }),
  visitor: fc.constantFrom('', ...Array.from('abcdef', visitorCalled)),
  isPassive: fc.boolean(),
  properties: fc.option(
    fc.array(fc.tuple(text, fc.oneof(text, fc.double({ noNaN: true }), fc.boolean())), { maxLength: 3 }),
  ),
}) as unknown as fc.Arbitrary<Hit>;

/** The hits as columns store them: visitor columns by the first hit, and whether that hit had a referrer. */
function kept(hits: Hit[]): Hit[] {
  const first = new Map<string, Hit>();
  const visitors = hits.map((one, index) => {
    const key = one.visitor === '' ? `unknown ${index}` : one.visitor;
    if (!first.has(key)) first.set(key, one);
    return key;
  });
  const order = [...first.keys()];
  const firstKnown = new Set(
    order.map((visitor) => {
      const own = hits.filter((_, index) => visitors[index] === visitor);
      const alike = own.filter(({ referrer }) => (referrer === null) === (own[0]!.referrer === null));
      return alike.reduce((one, other) => (other.at < one.at ? other : one));
    }),
  );
  return hits
    .map((one, index) => ({ one, index, visitor: visitors[index]! }))
    .sort(
      (left, right) =>
        order.indexOf(left.visitor) - order.indexOf(right.visitor) ||
        Number(firstKnown.has(right.one)) - Number(firstKnown.has(left.one)) ||
        left.one.at - right.one.at ||
        left.index - right.index,
    )
    .map(({ one, visitor }) => {
      const ofVisitor = Object.fromEntries(OF_VISITORS.map(({ key }) => [key, first.get(visitor)![key]]));
      return { ...one, ...ofVisitor, visitor: '' };
    });
}

async function encoded(days: Hit[][]): Promise<EncodedPart> {
  const texts = new WebsiteTexts(Infinity);
  const columns = days.map((hits) => {
    const builder = new DayBuilder(hits[0]!.day, texts);
    builder.add(columnsOf(hits));
    return builder.columns();
  });
  return encodePart(columns, texts);
}

function decoded(part: Part, days: number[], texts: WebsiteTexts): Hit[] {
  return plain(Array.from(hitsOfBlock(part.block(days), texts, () => '')).flat());
}

function byDay(hits: Hit[]): Hit[][] {
  return [FIRST_DAY, FIRST_DAY + 1, FIRST_DAY + 2]
    .map((day) => hits.filter((one) => one.day === day))
    .filter(({ length }) => length > 0);
}

const plain = (hits: Hit[]) => JSON.parse(JSON.stringify(hits)) as Hit[];

/** Created once, because the test uses very many. */
const NO_PAGE = {
  ...NO_HIT,
  ...{ at: 1_700_000_000, day: FIRST_DAY, visitor: '' },
  ...{ browser: 'Firefox', operatingSystem: 'Linux', device: 'desktop', language: 'de' },
  ...{ screen: '1920x1080', continent: 'EU', country: 'DE', city: 'Berlin, DE' },
};
const pageView = (page: string): Hit => ({ ...NO_PAGE, page });

it('gives back the hits of some days', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 60 }), async (hits) => {
      const days = byDay(hits);
      const columns = columnsIn(rowsOfPart(KEY, await encoded(days)))!;
      const texts = new WebsiteTexts(Infinity);
      const part = new Part(columns, new PartTexts(texts));
      expect(part.days.map(dayText)).toEqual(days.map(([one]) => dayText(one!.day)));
      for (const own of days) {
        const { day } = own[0]!;
        expect(part.hitsOf(day)).toBe(own.length);
        expect(decoded(part, [day], texts)).toEqual(plain(kept(own)));
        const builder = new DayBuilder(day, new WebsiteTexts(Infinity));
        builder.add(columnsOf(own));
        const { begins, isKnown, isDirect, at } = builder.columns();
        expect(part.block([day])).toMatchObject({ begins, isKnown, isDirect, at });
      }
      for (let from = 0; from < days.length; from++) {
        const some = days.slice(from);
        const numbers = some.map(([one]) => one!.day);
        expect(decoded(part, numbers, texts)).toEqual(plain(some.flatMap(kept)));
      }
    }),
    { numRuns: size('PARTS', 40, 1000) },
  );
});

it('takes room for passive events only where there is one', async () => {
  const [view, event] = [pageView('/'), { ...pageView('/'), event: 'Scroll' }];
  const timesOf = async (...hits: Hit[]) => (await encoded([hits])).get(TIMES)!;
  const [without, one, another] = [
    await timesOf(view, event),
    await timesOf(view, { ...event, isPassive: true }),
    await timesOf(view),
  ];
  expect(one.subarray(0, without.length)).toEqual(without);
  expect(one.length).toBeGreaterThan(without.length);
  expect(decodedTimes(another, 1)).toMatchObject({ passive: undefined });
  expect(decodedTimes(one, 2)).toMatchObject({ passive: Uint8Array.of(0, 1) });
});

describe('one visitor with very many hits', () => {
  const many = Array.from({ length: 140_000 }, (_, index) => ({
    ...pageView(`/page/${(index * 7919) % 100_000}`),
    at: 1_700_000_000 + ((index * 104_729) % 86_400),
    visitor: visitorCalled('bot'),
  }));
  let rows: PartRow[];
  beforeAll(async () => (rows = rowsOfPart(KEY, await encoded([many]))));

  it('is cut into rows that fit a statement', () => {
    expect(Math.max(...rows.map(({ data }) => data.length))).toBeLessThan(MAX_PART_ROW_BYTES + 100);
    const texts = new WebsiteTexts(Infinity);
    const part = new Part(columnsIn(rows)!, new PartTexts(texts));
    const read = Array.from(hitsOfBlock(part.block([FIRST_DAY]), texts, () => '')).flat();
    const wordingOf = ({ at, page }: Hit) => `${at} ${page}`;
    expect(read.map(wordingOf).join() === kept(many).map(wordingOf).join()).toBe(true);
  });

  it.each([0, 1])('is not trusted without its row %#', (missing) => {
    const pages = rows.filter(({ kind }) => kind === 11);
    expect(pages.length).toBe(4);
    expect(columnsIn(pages.filter(({ piece }) => piece !== missing))).toBeUndefined();
    expect(columnsIn(pages.slice(0, -1))).toBeUndefined();
  });
});

it('reads some columns alone', async () => {
  const texts = new WebsiteTexts(Infinity);
  const columns = await encoded([[pageView('/a'), pageView('/b')]]);
  const part = new Part(new Map([[STRUCTURE, columns.get(STRUCTURE)!]]), new PartTexts(texts));
  expect([part.has(11), part.block([FIRST_DAY]).codes]).toEqual([false, {}]);
  expect(() => part.block([FIRST_DAY]).at).toThrow('not read');
  part.add(new Map([[11, columns.get(11)!]]));
  expect([part.has(11), part.has(12), Object.keys(part.block([FIRST_DAY]).codes)]).toEqual([
    true,
    false,
    ['page'],
  ]);
});

it('holds no more of the row of a small part than what is accounted for', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heldBytes = () => {
    for (let times = 0; times < 3; times++) collect();
    return process.memoryUsage().arrayBuffers;
  };
  const days = Array.from({ length: 30 }, (_, day) =>
    Array.from({ length: 30 }, (_, index) => ({
      ...pageView(`/${day}/a-page-with-a-long-path/${index}`),
      day: FIRST_DAY + day,
      visitor: visitorCalled(index),
    })),
  );
  const rows = rowsOfPart(KEY, await encoded(days));
  expect(rows.length).toBe(1);
  const texts = new PartTexts(new WebsiteTexts(Infinity));
  const read = () => {
    const columns = [...columnsIn(rows)!];
    return new Part(
      new Map(columns.filter(([kind]) => kind === STRUCTURE || columnOf(kind) === 'page')),
      texts,
    );
  };
  read();
  const before = heldBytes();
  const parts = Array.from({ length: 200 }, read);
  const held = heldBytes() - before;
  expect(held).toBeLessThan(parts.reduce((sum, { bytes }) => sum + bytes, 0));
});

it('trusts no row with a flipped bit, nor one under another key', async () => {
  const [row] = rowsOfPart(KEY, await encoded([[pageView('/a'), pageView('/b')]]));
  expect(columnsIn([row!])).toBeDefined();
  for (let bit = 0; bit < 8 * row!.data.length; bit++) {
    const data = Buffer.from(row!.data);
    data[bit >> 3]! ^= 1 << (bit & 7);
    expect(columnsIn([{ ...row!, data }])).toBeUndefined();
  }
  for (const key of ['websiteId', 'segment', 'part', 'kind', 'piece'] as const)
    expect(columnsIn([{ ...row!, [key]: row![key] + 1 }])).toBeUndefined();
  for (let length = 0; length < row!.data.length; length++)
    expect(columnsIn([{ ...row!, data: row!.data.subarray(0, length) }])).toBeUndefined();
});
