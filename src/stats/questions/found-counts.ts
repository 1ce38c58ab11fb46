import { arraysOfList, type TextList, textAt, textList } from '../../common/text-list';
import type { TextCodes } from '../../storage/text-codes';
import { placeOf } from './names';
import type { Scan } from './scan';
import { addAmount, translated, withCurrencies } from './value-sums';
import type { WebsiteValues } from './website-values';

/** Values as places in a list of their texts, or in that of the buckets of a series. */
interface Places {
  readonly places: Uint32Array;
  readonly texts: TextList | undefined;
}

/** What a scan found, in a form that another thread understands: its codes of texts are other ones. */
export interface FoundCounts {
  /** For each dimension the value of each group. */
  readonly dimensions: Places[];
  readonly metrics: Float64Array[];
  /** Those that the metrics name. */
  readonly currencies: TextList;
}

export function foundBy({ tally, keys, buckets, question }: Scan, values: WebsiteValues): FoundCounts {
  const groups = tally.counted();
  const dimensions = question.dimensions.map((name, index): Places => {
    const codes = groups.map((group) => keys.codeOf(group, index));
    const place = placeOf(name);
    if (buckets[index] || place.level === 'moment') return { places: codes, texts: undefined };
    const used = new UsedTexts(values.of(place.values));
    return { places: codes.map((code) => used.placeOf(code)), texts: used.list() };
  });
  const currencies = new UsedTexts(values.of('currency'));
  const metrics = question.metrics.map((metric) => {
    const counts = Float64Array.from(groups, (group) => tally.of(metric, group));
    if (metric !== 'value_currency') return counts;
    return counts.map((own) => translated(own, (code) => currencies.placeOf(code)));
  });
  return { dimensions, metrics, currencies: currencies.list() };
}

/** Adds them to what a scan of the same question found; `count` is told of the work. */
export function addFound(scan: Scan, found: FoundCounts, values: WebsiteValues, count: () => void): void {
  const groups = groupsOf(scan, found, values, count);
  const { tally, question } = scan;
  const counted = new Map(question.metrics.map((metric, index) => [metric, found.metrics[index]!]));
  const currencyOf = codesOf(found.currencies, values.of('currency'));
  for (const [metric, own] of counted) {
    const counts = tally.countsOf(metric)!;
    if (metric === 'value_high') {
      const [lows, ownLows] = [tally.countsOf('value_low')!, counted.get('value_low')!];
      groups.forEach((group, row) => addAmount(counts, lows, group, { high: own[row]!, low: ownLows[row]! }));
    } else if (metric === 'value_currency') {
      const codeOf = (place: number) => currencyOf[place]!;
      groups.forEach((group, row) => {
        counts[group] = withCurrencies(counts[group]!, translated(own[row]!, codeOf));
      });
    } else if (metric !== 'value_low') groups.forEach((group, row) => (counts[group]! += own[row]!));
  }
}

/** The arrays that it has, which go to another thread without a copy. */
export function arraysOf({ dimensions, metrics, currencies }: FoundCounts): ArrayBufferView[] {
  const lists = [...dimensions.flatMap(({ texts }) => texts ?? []), currencies];
  return [...dimensions.map(({ places }) => places), ...metrics, ...lists.flatMap(arraysOfList)];
}

/** The group of each row that was found, which has room in the tally. */
function groupsOf(
  { tally, keys, question }: Scan,
  { dimensions, metrics }: FoundCounts,
  values: WebsiteValues,
  count: () => void,
): Uint32Array {
  const codes = question.dimensions.map((name, index) => {
    const { places, texts } = dimensions[index]!;
    const place = placeOf(name);
    if (!texts || place.level === 'moment') return places;
    const codeOf = codesOf(texts, values.of(place.values));
    return places.map((own) => codeOf[own]!);
  });
  const own = new Uint32Array(codes.length);
  const groups = new Uint32Array(metrics[0]!.length);
  for (let row = 0; row < groups.length; row++) {
    count();
    for (let index = 0; index < own.length; index++) own[index] = codes[index]![row]!;
    groups[row] = keys.groupOf(own);
    tally.reserve(groups[row]! + 1);
  }
  return groups;
}

function codesOf(texts: TextList, codes: TextCodes): Uint32Array {
  return Uint32Array.from(texts.ends, (_, place) => codes.codeOf(textAt(texts, place)));
}

/** The texts of some codes, each once. */
class UsedTexts {
  private readonly places: Uint32Array;
  private readonly used: (string | null)[] = [];

  constructor(private readonly codes: TextCodes) {
    this.places = new Uint32Array(codes.texts.length);
  }

  placeOf(code: number): number {
    return (this.places[code] ||= this.used.push(this.codes.texts[code]!)) - 1;
  }

  list(): TextList {
    return textList(this.used);
  }
}
