import { BlockView } from '../asking/select/block-view';
import type { WebsiteValues } from '../asking/select/website-values';
import { compareTexts } from '../ground/text-order';
import type { Codes } from '../hits/codes/code-list';
import { NOT_SET } from '../hits/codes/text-codes';
import type { Property } from '../hits/fields';
import type { HitBlock } from '../hits/hit-block';
import { COLUMNS } from '../hits/hit-columns';
import { parseAmount } from '../hits/value-sums';
import type { DayKey } from '../port';
import { REFERRER_PAGE, type Values } from '../questions/plan/values-from-columns';
import { OF_ACQUISITION, ROW_COLUMNS, TEXTS } from './row-tables';

export type Cell = string | number | null;

/** A hit, its visitor and its visit, by their places in a block. */
interface Place {
  readonly hit: number;
  readonly visitor: number;
  readonly visit: number;
}

/** What a column of `hits` has for each hit of a block. */
type Reader = (place: Place) => Cell;

/** The row of a hit in `hits`, and its rows in `hit_properties`. */
interface HitRows {
  readonly hit: Cell[];
  readonly properties: Cell[][];
}

/** Makes the rows of a day, block by block. */
export class RowsOfDay {
  /** What the blocks before had. */
  private before: Place = { hit: 0, visitor: 0, visit: 0 };

  constructor(private readonly key: DayKey) {}

  /** The rows of each hit of a block. */
  *rowsOf(block: HitBlock, values: WebsiteValues): Generator<HitRows> {
    const view = new BlockView(block, values);
    const { websiteId, day, version } = this.key;
    const { before } = this;
    const properties = textReader(view, values, 'properties');
    const ofColumns = this.readers(view, values);
    const readers = ROW_COLUMNS.map((name) => ofColumns.get(name)!);
    for (const place of placesIn(view)) {
      const key = [websiteId, day, version, before.visitor + place.visitor, before.hit + place.hit];
      yield {
        hit: readers.map((read) => read(place)),
        properties: propertiesIn(properties(place)).map(([name, value]) => [...key, name, String(value)]),
      };
    }
    this.before = {
      hit: before.hit + block.hits,
      visitor: before.visitor + block.visitors,
      visit: before.visit + view.visits.count,
    };
  }

  private readers(view: BlockView, values: WebsiteValues): Map<string, Reader> {
    const { key, before } = this;
    const { block, passive } = view;
    const amount = amountReader(textReader(view, values, 'value'));
    const names = namesReader(textReader(view, values, 'properties'));
    return new Map<string, Reader>([
      ['website', () => key.websiteId],
      ['day', () => key.day],
      ['version', () => key.version],
      ['visitor', ({ visitor }) => before.visitor + visitor],
      ['place', ({ hit }) => before.hit + hit],
      ['at', ({ hit }) => block.at[hit]!],
      ['is_known', ({ visitor }) => block.isKnown[visitor]!],
      ['is_direct', ({ visitor }) => block.isDirect[visitor]!],
      ['is_passive', ({ hit }) => Number(isPassive(passive, hit))],
      ['value_high', (place) => amount(place)?.high ?? null],
      ['value_low', (place) => amount(place)?.low ?? null],
      ['property_names', names],
      ['visit', ({ visit }) => before.visit + visit],
      ...TEXTS.map((name) => [name, textReader(view, values, name)] as const),
      ...visitReaders(view, values),
    ]);
  }
}

function* placesIn({ block, visits }: BlockView): Generator<Place> {
  let [visitor, visit] = [0, 0];
  for (let hit = 0; hit < block.hits; hit++) {
    while (block.begins[visitor + 1]! <= hit) visitor++;
    while (visits.begins[visit + 1]! <= hit) visit++;
    yield { hit, visitor, visit };
  }
}

function textReader(view: BlockView, values: WebsiteValues, name: keyof typeof COLUMNS) {
  const codes = view.codes(name);
  const { texts } = values.of(name);
  const isOfHit = COLUMNS[name].of === 'hit';
  return ({ hit, visitor }: Place) => texts[codes[isOfHit ? hit : visitor]!]!;
}

function amountReader(textAt: (place: Place) => string | null) {
  return (place: Place) => {
    const text = textAt(place);
    return text === null ? undefined : parseAmount(text);
  };
}

function namesReader(textAt: (place: Place) => string | null): Reader {
  return (place) => {
    const text = textAt(place);
    return (
      text &&
      JSON.stringify(
        propertiesIn(text)
          .map(([name]) => name)
          .sort(compareTexts),
      )
    );
  };
}

function propertiesIn(text: string | null): Property[] {
  return text === null ? [] : (JSON.parse(text) as Property[]);
}

/** The columns that the rows of a visit have in common. */
function visitReaders(view: BlockView, values: WebsiteValues): [string, Reader][] {
  const { at } = view.block;
  const { begins, count } = view.visits;
  const lengths = Array.from({ length: count }, (_, visit) =>
    lengthOf(view, begins[visit]!, begins[visit + 1]!),
  );
  const ofTexts = (column: string, from: Values, codes: Codes): [string, Reader] => {
    const { texts } = values.of(from);
    return [column, ({ visit }) => texts[codes[visit]!]!];
  };
  const acquired = (column: string, from: Values) =>
    ofTexts(`visit_${column}`, from, view.acquisitionOfVisits(from, NOT_SET));
  return [
    ['visit_at', ({ visit }) => at[begins[visit]!]!],
    ['visit_seconds', ({ visit }) => lengths[visit]!.seconds],
    ['visit_bounce', ({ visit }) => lengths[visit]!.bounce],
    ofTexts('visit_entry', 'page', view.ofVisits('page', 'first')),
    ofTexts('visit_exit', 'page', view.ofVisits('page', 'last')),
    acquired('referrer_page', REFERRER_PAGE),
    ...OF_ACQUISITION.map((name) => acquired(name, name)),
  ];
}

function lengthOf({ passive, pageviews, block }: BlockView, first: number, end: number) {
  let [begin, last, active] = [-1, -1, 0];
  for (let hit = first; hit < end; hit++) {
    if (isPassive(passive, hit)) continue;
    if (begin < 0) begin = hit;
    last = hit;
    active++;
  }
  return {
    seconds: active === 0 ? null : block.at[last]! - block.at[begin]!,
    bounce: Number(active === 1 && pageviews[begin] === 1),
  };
}

function isPassive(passive: Codes | undefined, hit: number): boolean {
  return passive !== undefined && passive[hit] !== NOT_SET;
}
