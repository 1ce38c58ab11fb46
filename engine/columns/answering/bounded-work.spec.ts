import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { InvalidFields } from '../../ground/errors';
import { DayBuilder } from '../segments/day-builder';
import { type Hit, NO_HIT } from '../../hits/hit';
import type { ColumnName } from '../../hits/hit-columns';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { OTHER } from '../../hits/rules/value-limits';
import { AnswerTexts } from '../../asking/memory/working-memory';
import { AnswerWriter } from '../../asking/answer/answer-rows';
import { Zone } from '../../questions/plan/buckets';
import { BlockView } from '../../asking/select/block-view';
import type { Filter } from '../../questions/parse/filter';
import { FilterMemory } from '../../asking/memory/filter-memory';
import { GroupKeys } from '../../asking/count/group-keys';
import { ALL_MATCH } from '../../asking/select/matching-rows';
import type { HitQuery } from '../../questions/plan/hit-query';
import { RowMemory } from '../../asking/memory/bytes-of-rows';
import { Scan } from '../../asking/count/scan';
import { Selection } from '../../asking/select/selection';
import { WebsiteValues } from '../../asking/select/website-values';

const DAY = 20_000;
const HITS = 10_000;
const texts = new WebsiteTexts(64 * 1024 * 1024);
const values = new WebsiteValues(texts);
const view = new BlockView(dayOf(HITS), values);

/** A day on which each hit has values of its own. */
function dayOf(hits: number, day = DAY) {
  const builder = new DayBuilder(day, texts);
  const hit = (number: number): Hit => ({
    ...NO_HIT,
    day,
    at: day * 86_400 + number,
    visitor: visitorCalled(number),
    page: day === DAY ? `/page-${number}` : `/later-${number}`,
    referrer: `host-${number}.example`,
  });
  builder.add(columnsOf(Array.from({ length: hits }, (_, number) => hit(number))));
  return builder.columns();
}

const hitQuery = (requested: Partial<HitQuery> = {}): HitQuery => ({
  range: { days: { from: DAY, to: DAY } },
  previous: undefined,
  filter: undefined,
  dimensions: ['page', 'referrer'],
  metrics: ['visitors'],
  fill: false,
  order: [],
  skip: 0,
  take: 10,
  ...requested,
});
const keysOf = ({ dimensions }: HitQuery) =>
  new GroupKeys(dimensions.length, () =>
    dimensions.map((name) => (name === 'hour' ? undefined : texts.of[name as ColumnName].codeOf(OTHER))),
  );
const scanOf = (requested: HitQuery, memory = new RowMemory(), check = () => undefined) =>
  new Scan(requested, requested.range, keysOf(requested), new Zone('UTC'), check, memory);

const selectionOf = (filter: Filter, memory: FilterMemory, check = () => undefined as void) =>
  new Selection(filter, () => undefined as never, check, memory);

describe('rows that take too much', () => {
  const nextDay = new BlockView(dayOf(HITS, DAY + 1), values);
  const requested = hitQuery({
    range: { days: { from: DAY, to: DAY + 1 } },
    metrics: ['visitors', 'pageviews'],
  });
  /** The count of each pair of dimension values. */
  function counted({ keys, tally }: Scan): Map<string, number> {
    const textOf = (group: number, dimension: number) =>
      texts.of[dimension === 0 ? 'page' : 'referrer'].texts[keys.codeOf(group, dimension)];
    return new Map(
      Array.from(tally.counted(), (group) => [
        `${textOf(group, 0)} ${textOf(group, 1)}`,
        tally.of('pageviews', group),
      ]),
    );
  }
  const small = () => {
    const alone = scanOf(requested);
    alone.add(view, ALL_MATCH);
    return new RowMemory({ bytesOfOne: alone.bytes - 1, bytesTogether: 2 * alone.bytes });
  };

  it('are kept as they are, and further ones are taken together', () => {
    const scan = scanOf(requested, small());
    scan.add(view, ALL_MATCH);
    expect([counted(scan).size, scan.keys.isMerged]).toEqual([HITS, false]);
    scan.add(view, ALL_MATCH);
    expect(new Set(counted(scan).values())).toEqual(new Set([2]));
    scan.add(nextDay, ALL_MATCH);
    expect([counted(scan).size, scan.keys.isMerged]).toEqual([HITS + 1, true]);
    expect(counted(scan).get('(other) (other)')).toBe(HITS);
  });

  it('keep their moments', () => {
    const hours: HitQuery = { ...requested, dimensions: ['page', 'hour'], metrics: ['pageviews'] };
    const scan = scanOf(hours, new RowMemory({ bytesOfOne: 1, bytesTogether: 1000 * HITS }));
    for (const own of [view, nextDay]) scan.add(own, ALL_MATCH);
    const ofOthers = Array.from(scan.tally.counted()).filter(
      (group) => texts.of.page.texts[scan.keys.codeOf(group, 0)] === OTHER,
    );
    const hoursOfHits = Math.ceil(HITS / 3600);
    expect(ofOthers.map((group) => scan.keys.codeOf(group, 1))).toEqual(
      Array.from({ length: hoursOfHits }, (_, hour) => 24 + hour),
    );
    const sum = ofOthers.reduce((all, group) => all + scan.tally.of('pageviews', group), 0);
    expect(sum).toBe(HITS);
  });

  it('are counted for all queries that are asked at once', () => {
    const alone = scanOf(requested);
    alone.add(view, ALL_MATCH);
    const memory = new RowMemory({ bytesOfOne: 4 * alone.bytes, bytesTogether: 2 * alone.bytes - 1 });
    const scans = [scanOf(requested, memory), scanOf(requested, memory)];
    for (const own of [view, nextDay]) for (const scan of scans) scan.add(own, ALL_MATCH);
    expect(scans.map((scan) => counted(scan).get('(other) (other)'))).toEqual([HITS, HITS]);
    expect(() => scanOf(requested, memory).add(view, ALL_MATCH)).toThrow(InvalidFields);
  });

  it('are refused where they have one dimension', () => {
    const one = { ...requested, dimensions: ['page'] } satisfies HitQuery;
    const tiny = new RowMemory({ bytesOfOne: 1, bytesTogether: 1000 * HITS });
    expect(() => scanOf(one, tiny).add(view, ALL_MATCH)).toThrow(InvalidFields);
  });
});

it('bounds what the conditions of all queries that are asked at once take', () => {
  const memory = new FilterMemory(3 * texts.of.page.texts.length);
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
    const matches = selectionOf(filter, new FilterMemory(), check).of(view);
    expect(matches).toEqual({ hits: new Uint8Array(HITS) });
    expect(checks).toBeGreaterThanOrEqual((HITS * values.length) / 50_000);
  });

  it('for each condition of each day', () => {
    const one: Filter = { kind: 'test', name: 'page', test: 'is', values: ['/page-1'] };
    const filter: Filter = { kind: 'any', of: Array.from({ length: 100 }, () => one) };
    selectionOf(filter, new FilterMemory(), check).of(view);
    expect(checks).toBeGreaterThanOrEqual(100);
  });

  it('while rows are put in order', () => {
    const own = hitQuery({ order: [{ by: { dimension: 0 }, direction: 'desc' }], take: HITS });
    const scan = scanOf(own);
    scan.add(view, ALL_MATCH);
    new AnswerWriter(own, scan, undefined, values, new AnswerTexts(), check).answer();
    expect(checks).toBeGreaterThanOrEqual(1);
  });
});
