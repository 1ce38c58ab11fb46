import { compareTexts } from '../../ground/text-order';
import { NOT_SET, type TextCodes } from '../../hits/codes/text-codes';
import { Dimension } from '../count/groups';
import { originOf } from '../../questions/parse/names';
import { BUCKETS, type Buckets, type Zone } from '../../questions/plan/buckets';
import type { WebsiteValues } from '../select/website-values';
import type { BlockView } from '../select/block-view';
import type { ByStep, PartialFunnel } from '../partial';
import { CountTable } from '../walk/count-table';
import type { FunnelCounts, FunnelRequest, StepCounts } from '../../questions/funnel-request';
import { SecondsCounts } from './seconds-counts';

const NEXT_PAGES = 5;
const VALUES = 10;
const MEDIAN = 50;
const LATE = 90;

/** Counts a visitor, with the hits of the steps. */
type AddVisitor = (visitor: number, chain: Uint32Array, length: number) => void;
type Compare = (one: number, other: number) => number;

/** What is known of a funnel's visitors besides their number. */
export class FunnelDetails {
  /** Of each step after the first. */
  private readonly seconds: SecondsCounts[];
  /** The next pages, by code and the last step that was reached. */
  private readonly pages: CountTable;
  /** The visitors of each step, by the value of the breakdown. */
  private readonly ofValues: CountTable;
  private readonly buckets: Buckets | undefined;

  constructor(
    private readonly request: FunnelRequest,
    private readonly values: WebsiteValues,
    zone: Zone,
  ) {
    const { steps, breakdown, range } = request;
    this.seconds = steps.slice(1).map(() => new SecondsCounts());
    this.pages = new CountTable(steps.length - 1);
    this.ofValues = new CountTable(steps.length);
    const origin = breakdown && originOf(breakdown);
    if (origin?.level === 'moment') this.buckets = BUCKETS[origin.bucket](range.days, zone);
  }

  get bytes(): number {
    const lists = [this.pages, this.ofValues, ...this.seconds];
    return lists.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** For the visitors of a block. */
  adding(view: BlockView, shown: Uint8Array | undefined): AddVisitor {
    const nextPage = nextPageIn(view, shown);
    const valueOf = this.valueIn(view);
    const { low, high } = view.seconds;
    const secondOf = (hit: number) => low[hit]! + (high[hit]! << 16);
    const last = this.request.steps.length;
    return (visitor, chain, length) => {
      const value = valueOf?.(visitor, chain[0]!);
      for (let step = 0; step < length; step++) {
        if (value !== undefined) this.ofValues.add(value, step);
        if (step > 0) this.seconds[step - 1]!.add(secondOf(chain[step]!) - secondOf(chain[step - 1]!));
      }
      if (length === last) return;
      const page = nextPage(visitor, chain[length - 1]!);
      if (page !== undefined) this.pages.add(page, length - 1);
    };
  }

  partial(): Pick<PartialFunnel, 'seconds' | 'nextPages' | 'breakdown'> {
    const [pageOf, valueOf] = [this.textOfPages(), this.textOfValues()];
    const byStep = (table: CountTable, textOf: (row: number) => ByStep[0]) =>
      table.entries().map(([row, counts]): ByStep => [textOf(row), counts]);
    return {
      seconds: this.seconds.map((counts) => counts.entries()),
      nextPages: byStep(this.pages, pageOf),
      breakdown: byStep(this.ofValues, this.buckets ? (bucket) => bucket : valueOf),
    };
  }

  addPartial({ seconds, nextPages, breakdown }: PartialFunnel): void {
    for (const [step, entries] of seconds.entries())
      for (const [own, times] of entries) this.seconds[step]!.add(own, times);
    addByStep(this.pages, nextPages, this.values.of('page'));
    addByStep(this.ofValues, breakdown, this.codesOfValues());
  }

  ofStep(step: number): Pick<StepCounts, 'median' | 'p90' | 'nextPages'> {
    const seconds = this.seconds[step - 1];
    const textOf = this.textOfPages();
    const ties: Compare = (one, other) => compareTexts(textOf(one), textOf(other));
    const pages = step < this.pages.columns ? this.pages.largest(step, NEXT_PAGES, ties) : [];
    return {
      median: seconds?.percentile(MEDIAN),
      p90: seconds?.percentile(LATE),
      nextPages: Array.from(pages, (page) => ({ page: textOf(page), visitors: this.pages.of(page, step) })),
    };
  }

  breakdown(): FunnelCounts['breakdown'] {
    const textOf = this.textOfValues();
    const ties: Compare = (one, other) =>
      this.buckets ? one - other : compareValues(textOf(one), textOf(other));
    return Array.from(this.ofValues.largest(0, VALUES, ties), (value) => ({
      value: textOf(value),
      steps: this.request.steps.map((_, step) => this.ofValues.of(value, step)),
    }));
  }

  /** The value of a visitor, or of the hit of the first step. Undefined without a breakdown. */
  private valueIn(view: BlockView): ((visitor: number, hit: number) => number) | undefined {
    const { breakdown } = this.request;
    if (!breakdown) return undefined;
    const { level, codes } = new Dimension(breakdown, view, this.buckets).ofHits();
    return (visitor, hit) => codes[level === 'hit' ? hit : visitor]!;
  }

  private textOfPages(): (page: number) => string {
    const { texts } = this.values.of('page');
    return (page) => texts[page] ?? '';
  }

  private textOfValues(): (value: number) => string | null {
    const { buckets } = this;
    if (buckets) return (value) => buckets.valueOf(value);
    const texts = this.codesOfValues()?.texts;
    return (value) => texts?.[value] ?? null;
  }

  /** Undefined if the values of the breakdown are moments, or there is none. */
  private codesOfValues(): TextCodes | undefined {
    const origin = this.request.breakdown && originOf(this.request.breakdown);
    return origin && origin.level !== 'moment' ? this.values.of(origin.values) : undefined;
  }
}

function addByStep(table: CountTable, added: readonly ByStep[], codes: TextCodes | undefined): void {
  for (const [value, counts] of added) {
    const row = typeof value === 'number' ? value : codes!.codeOf(value);
    for (const [step, count] of counts.entries()) if (count > 0) table.add(row, step, count);
  }
}

/** The page that a visitor viewed next in the visit of a hit. */
function nextPageIn(view: BlockView, shown: Uint8Array | undefined) {
  const { endOfVisit } = view;
  const { begins } = view.block;
  const pages = view.ownCodes('page');
  const events = view.ownCodes('event').rows;
  return (visitor: number, after: number): number | undefined => {
    const end = endOfVisit(after, begins[visitor + 1]!);
    for (let hit = after + 1; hit < end; hit++) {
      if (events[hit] !== NOT_SET || shown?.[hit] === 0) continue;
      const page = pages.rows[hit]!;
      return pages.codeOf ? pages.codeOf[page]! : page;
    }
    return undefined;
  };
}

/** A missing value comes first. */
function compareValues(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return compareTexts(one, other);
}
