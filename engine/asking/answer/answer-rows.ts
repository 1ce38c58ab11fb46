import { compareTexts } from '../../ground/text-order';
import { containing, foldCase } from '../../ground/text-search';
import { textList } from '../../ground/lists/text-list';
import { NOT_SET } from '../../hits/codes/text-codes';
import type { AnswerTexts } from '../memory/working-memory';
import { type Check, WorkSteps } from '../../ground/deadline-check';
import { firstInOrder } from './partial-sort';
import { type CountedMetric, type Metric, ratioOf } from '../../questions/plan/metrics';
import { isMoment, originOf, wordingOf } from '../../questions/parse/names';
import { GOAL } from '../../questions/parse/filter';
import { type Answer, codeOfGoal, type HitQuery, type Ordering } from '../../questions/plan/hit-query';
import type { Scan } from '../count/scan';
import { compareSums, isOfSeveralCurrencies } from '../../hits/value-sums';
import type { WebsiteValues } from '../select/website-values';

type Compare = (one: number, other: number) => number;

/** Builds the requested rows from the counts. */
export class AnswerWriter {
  private readonly work: WorkSteps;

  constructor(
    private readonly hitQuery: HitQuery,
    private readonly scan: Scan,
    private readonly previous: Scan | undefined,
    private readonly values: WebsiteValues,
    private readonly texts: AnswerTexts,
    check: Check,
  ) {
    this.work = new WorkSteps(check);
  }

  answer(): Omit<Answer, 'isMerged'> {
    const { skip, take, metrics, dimensions } = this.hitQuery;
    const matches = this.matching();
    const groups = this.groups(matches);
    const shown = firstInOrder(groups.slice(), skip, take, this.comparison(), this.firstWeight());
    const counts = (scan: Scan) =>
      metrics.map((metric) => Float64Array.from(shown, (group) => scan.tally.of(metric, group)));
    return {
      rows: {
        dimensions: dimensions.map((_, index) => textList(this.textsOf(shown, index))),
        metrics: counts(this.scan),
        previous: this.previous ? counts(this.previous) : [],
      },
      total: groups.length,
      sums: this.sums(this.scan, groups),
      previousSums: this.previous ? this.sums(this.previous, this.counted(this.previous, matches)) : [],
    };
  }

  private sums({ tally }: Scan, groups: Uint32Array): number[] {
    return this.hitQuery.metrics.map((metric) => {
      const counts = tally.countsOf(metric)!;
      let sum = 0;
      for (const group of groups) sum += counts[group] ?? 0;
      return sum;
    });
  }

  private groups(matches: (group: number) => boolean): Uint32Array {
    const { fill, dimensions } = this.hitQuery;
    const [buckets] = this.scan.buckets;
    if (dimensions.length === 0) return new Uint32Array(1);
    if (fill && buckets && dimensions.length === 1)
      return Uint32Array.from({ length: buckets.size }, (_, index) => index);
    return this.counted(this.scan, matches);
  }

  private counted({ tally }: Scan, matches: (group: number) => boolean): Uint32Array {
    return tally.counted().filter(matches);
  }

  private matching(): (group: number) => boolean {
    const { search, needsValue = false, dimensions } = this.hitQuery;
    const [name] = dimensions;
    const isOfHits = name !== undefined && name !== GOAL;
    const leavesOut = needsValue && isOfHits && !isMoment(name);
    const label = (isOfHits && wordingOf(name)?.label) || String;
    const isIn = search === undefined ? undefined : containing(search);
    return (group) => {
      this.work.take();
      if (leavesOut && this.scan.keys.codeOf(group, 0) === NOT_SET) return false;
      if (!isIn) return true;
      const text = this.textOf(group, 0);
      if (text === null) return false;
      this.work.take(2 * text.length);
      return isIn(foldCase(text)) || isIn(foldCase(label(text)));
    };
  }

  private comparison(): Compare {
    const { order, dimensions } = this.hitQuery;
    const ties = dimensions.map((_, index): Ordering => ({ by: { dimension: index }, direction: 'asc' }));
    const comparisons = [...order, ...ties].map((ordering) => this.comparisonBy(ordering));
    return (one, other) => {
      this.work.take();
      for (const compare of comparisons) {
        const difference = compare(one, other);
        if (difference !== 0) return difference;
      }
      return 0;
    };
  }

  /** The first order as a weight, if it is a number. */
  private firstWeight(): ((group: number) => number) | undefined {
    const [first] = this.hitQuery.order;
    if (!first || !('metric' in first.by) || first.by.metric === 'value') return undefined;
    const weight = this.weightOf(first.by.metric);
    return first.direction === 'desc' ? weight : (group) => -weight(group);
  }

  private comparisonBy({ by, direction }: Ordering): Compare {
    const sign = direction === 'asc' ? 1 : -1;
    const compare = 'metric' in by ? this.byMetric(by.metric) : this.byDimension(by.dimension);
    return (one, other) => sign * compare(one, other);
  }

  /** A ratio without a denominator is less than any other. */
  private byMetric(metric: Metric): Compare {
    if (metric === 'value') return this.byValue();
    const weight = this.weightOf(metric);
    return (one, other) => {
      const [left, right] = [weight(one), weight(other)];
      return left === right ? 0 : left - right;
    };
  }

  private weightOf(metric: Exclude<Metric, 'value'>): (group: number) => number {
    const countOf = (counted: CountedMetric) => {
      const counts = this.scan.tally.countsOf(counted);
      return (group: number) => counts?.[group] ?? 0;
    };
    const ratio = ratioOf(metric);
    if (!ratio) return countOf(metric as CountedMetric);
    const [of, by] = [countOf(ratio.of), countOf(ratio.by)];
    return (group) => (by(group) === 0 ? -Infinity : of(group) / by(group));
  }

  /** Currencies that are not added up are less than any sum. */
  private byValue(): Compare {
    const { tally } = this.scan;
    const isNull = (group: number) =>
      isOfSeveralCurrencies(tally.of('value_currency', group)) && !this.hitQuery.addsCurrencies;
    const [highs, lows] = [tally.countsOf('value_high')!, tally.countsOf('value_low')!];
    return (one, other) => {
      if (isNull(one) || isNull(other)) return Number(isNull(other)) - Number(isNull(one));
      return compareSums(highs[one]!, lows[one]!, highs[other]!, lows[other]!);
    };
  }

  /** Series by time, other values by code point; a missing value comes first. */
  private byDimension(index: number): Compare {
    const { keys, buckets } = this.scan;
    if (buckets[index]) return (one, other) => keys.codeOf(one, index) - keys.codeOf(other, index);
    return (one, other) => {
      if (keys.codeOf(one, index) === keys.codeOf(other, index)) return 0;
      const [text, otherText] = [this.textOf(one, index), this.textOf(other, index)];
      if (text === null) return -1;
      return otherText === null ? 1 : compareTexts(text, otherText);
    };
  }

  /** Lists of all rows have one dimension, and are sent in pieces. */
  private textsOf(groups: Uint32Array, index: number): (string | null)[] {
    const texts = Array.from(groups, (group) => this.textOf(group, index));
    if (this.hitQuery.take < Number.MAX_SAFE_INTEGER) this.texts.add(texts);
    return texts;
  }

  private textOf(group: number, index: number): string | null {
    const code = this.scan.keys.codeOf(group, index);
    const buckets = this.scan.buckets[index];
    if (buckets) return buckets.valueOf(code);
    const name = this.hitQuery.dimensions[index]!;
    if (name === GOAL) return this.hitQuery.goals!.list![code - codeOfGoal(0)]!.name;
    const origin = originOf(name);
    return origin.level === 'moment' ? null : this.values.of(origin.values).texts[code]!;
  }
}
