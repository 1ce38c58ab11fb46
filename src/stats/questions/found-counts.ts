import type { AskedName } from './names';
import type { Scan } from './scan';
import { addAmount, translated, withCurrencies } from './value-sums';

/** What a scan found, with the codes of its thread. */
export interface FoundCounts {
  /** For each dimension the code of each group. */
  readonly dimensions: Uint32Array[];
  readonly metrics: Float64Array[];
}

/** The own codes for those of the thread that found it; undefined where they are those of moments. */
export type OwnCodes = (name: AskedName) => Uint32Array | undefined;

export function foundBy({ tally, keys, question }: Scan): FoundCounts {
  const groups = tally.counted();
  return {
    dimensions: question.dimensions.map((_, index) => groups.map((group) => keys.codeOf(group, index))),
    metrics: question.metrics.map((metric) => Float64Array.from(groups, (group) => tally.of(metric, group))),
  };
}

/** Adds them to what a scan of the same question found; `count` is told of the work. */
export function addFound(scan: Scan, found: FoundCounts, ownCodes: OwnCodes, count: () => void): void {
  const groups = groupsOf(scan, found, ownCodes, count);
  const { tally, question } = scan;
  const counted = new Map(question.metrics.map((metric, index) => [metric, found.metrics[index]!]));
  for (const [metric, own] of counted) {
    const counts = tally.countsOf(metric)!;
    if (metric === 'value_high') {
      const [lows, ownLows] = [tally.countsOf('value_low')!, counted.get('value_low')!];
      groups.forEach((group, row) => addAmount(counts, lows, group, { high: own[row]!, low: ownLows[row]! }));
    } else if (metric === 'value_currency') {
      const currencies = ownCodes('currency')!;
      const codeOf = (code: number) => currencies[code]!;
      groups.forEach((group, row) => {
        counts[group] = withCurrencies(counts[group]!, translated(own[row]!, codeOf));
      });
    } else if (metric !== 'value_low') groups.forEach((group, row) => (counts[group]! += own[row]!));
  }
}

/** The group of each row that was found, which has room in the tally. */
function groupsOf(
  { tally, keys, question }: Scan,
  { dimensions, metrics }: FoundCounts,
  ownCodes: OwnCodes,
  count: () => void,
): Uint32Array {
  const codes = dimensions.map((theirs, index) => {
    const ofTheirs = ownCodes(question.dimensions[index]!);
    return ofTheirs ? theirs.map((code) => ofTheirs[code]!) : theirs;
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
