import { InvalidFields } from '../../common/problem';
import { DayBuilder } from '../../storage/day-builder';
import { type Hit, NO_HIT } from '../../storage/hit';
import { WebsiteTexts } from '../../storage/text-codes';
import { AnswerWriter } from './answer';
import { Zone } from './buckets';
import { StretchView } from './stretch-view';
import type { Filter } from './filter';
import { FilterMemory } from './filter-memory';
import { GroupKeys } from './group-keys';
import { ALL_PASS } from './passed';
import type { Question } from './question';
import { RowMemory } from './row-memory';
import { Scan } from './scan';
import { Selection } from './selection';
import { WebsiteValues } from './website-values';

const DAY = 20_000;
const HITS = 10_000;
const texts = new WebsiteTexts(64 * 1024 * 1024);
const values = new WebsiteValues(texts);
const view = new StretchView(dayOf(HITS), values);

/** A day on which each hit has values of its own. */
function dayOf(hits: number) {
  const builder = new DayBuilder(DAY, texts);
  const hit = (number: number): Hit => ({
    ...NO_HIT,
    day: DAY,
    at: DAY * 86_400 + number,
    visitor: `visitor-${number}`,
    page: `/page-${number}`,
    referrer: `host-${number}.example`,
  });
  builder.add(Array.from({ length: hits }, (_, number) => hit(number)));
  return builder.columns();
}

const question = (asked: Partial<Question> = {}): Question => ({
  range: { days: { from: DAY, to: DAY } },
  previous: undefined,
  filter: undefined,
  dimensions: ['page', 'referrer'],
  metrics: ['visitors'],
  fill: false,
  order: [],
  skip: 0,
  take: 10,
  ...asked,
});
const scanOf = (asked: Question, memory = new RowMemory(), check = () => undefined) =>
  new Scan(asked, asked.range, new GroupKeys(asked.dimensions.length), new Zone('UTC'), check, memory);

const selectionOf = (filter: Filter, memory: FilterMemory, check = () => undefined as void) =>
  new Selection(filter, () => undefined as never, check, memory);

it('bounds the rows of one question, and of all that are asked at once', () => {
  const alone = scanOf(question());
  alone.add(view, ALL_PASS);
  const { bytes } = alone;
  const memory = new RowMemory({ bytesOfOne: bytes, bytesTogether: 2 * bytes });
  for (const scan of [scanOf(question(), memory), scanOf(question(), memory)]) scan.add(view, ALL_PASS);
  expect(() => scanOf(question(), memory).add(view, ALL_PASS)).toThrow(InvalidFields);
  const small = new RowMemory({ bytesOfOne: bytes - 1, bytesTogether: 2 * bytes });
  expect(() => scanOf(question(), small).add(view, ALL_PASS)).toThrow(InvalidFields);
});

it('bounds what the conditions of all questions that are asked at once take', () => {
  const memory = new FilterMemory(3 * (HITS + 1));
  const select = (conditions: number) => {
    const of = Array.from({ length: conditions }, (_, index): Filter => ({
      kind: 'test',
      name: 'page',
      test: 'is',
      values: [`/page-${index}`],
    }));
    const selection = selectionOf({ kind: 'any', of }, memory);
    for (let day = 0; day < 2; day++) selection.of(view);
  };
  for (const conditions of [1, 2]) select(conditions);
  expect(() => select(1)).toThrow(InvalidFields);
});

describe('a deadline is looked at', () => {
  let checks = 0;
  const check = () => void checks++;
  beforeEach(() => void (checks = 0));

  it('while values are compared with many texts', () => {
    const values = Array.from({ length: 100 }, (_, index) => `none-${index}`);
    const filter: Filter = { kind: 'test', name: 'page', test: 'contains', values };
    const passed = selectionOf(filter, new FilterMemory(), check).of(view);
    expect(passed).toEqual({ hits: new Uint8Array(HITS) });
    expect(checks).toBeGreaterThanOrEqual((HITS * values.length) / 50_000);
  });

  it('for each condition of each day', () => {
    const one: Filter = { kind: 'test', name: 'page', test: 'is', values: ['/page-1'] };
    const filter: Filter = { kind: 'any', of: Array.from({ length: 100 }, () => one) };
    selectionOf(filter, new FilterMemory(), check).of(view);
    expect(checks).toBeGreaterThanOrEqual(100);
  });

  it('while rows are put in order', () => {
    const scan = scanOf(question({ order: [{ by: { dimension: 0 }, direction: 'desc' }], take: HITS }));
    scan.add(view, ALL_PASS);
    new AnswerWriter(scan, undefined, values, check).answer();
    expect(checks).toBeGreaterThanOrEqual(1);
  });
});
