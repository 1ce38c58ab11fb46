import { originOf } from '../../questions/parse/names';
import type { Values } from '../../questions/plan/values-from-columns';
import { ComparedValues } from '../select/compared-values';
import type { BlockView } from '../select/block-view';
import type { Matches } from '../select/matching-rows';
import type { Selection } from '../select/selection';
import { shownHits } from '../walk/shown-hits';
import type { Walk, WalkTools } from '../walk/walk';
import type { PartialFunnel } from '../partial';
import { FunnelDetails } from './funnel-details';
import type { FunnelCounts, FunnelRequest } from '../../questions/funnel-request';
import { FunnelScan } from './funnel-scan';
import { clearZeros, setBit } from '../select/row-masks';

/** A funnel over its range and the compared one. */
export class FunnelWalk implements Walk<FunnelCounts, PartialFunnel> {
  private readonly filter: Selection | undefined;
  private readonly seen: Selection | undefined;
  private readonly steps: Selection[];
  private readonly details: FunnelDetails;
  private readonly scan: FunnelScan;
  private readonly previous: FunnelScan | undefined;
  private readonly comparedByFilter: ComparedValues;
  private readonly comparedBySteps: ComparedValues;
  private othersAreMerged = false;

  constructor(
    private readonly request: FunnelRequest,
    private readonly tools: WalkTools,
  ) {
    const { selections, values, zone } = tools;
    const { filter, seen, steps, range, previous } = request;
    this.filter = filter && selections.of(filter);
    this.seen = seen && selections.of(seen);
    this.steps = steps.map((step) => selections.of(step));
    this.comparedByFilter = new ComparedValues(filter ? [filter] : [], values);
    this.comparedBySteps = new ComparedValues(steps, values);
    this.details = new FunnelDetails(request, values, zone);
    this.scan = new FunnelScan(request, range, this.details);
    this.previous = previous && new FunnelScan(request, previous);
  }

  get isMerged(): boolean {
    const { breakdown } = this.request;
    const origin = breakdown && originOf(breakdown);
    const shown: Values[] = origin && origin.level !== 'moment' ? ['page', origin.values] : ['page'];
    return this.othersAreMerged || shown.some((values) => this.tools.values.isMerged(values));
  }

  covers(day: number): boolean {
    return this.scan.covers(day) || Boolean(this.previous?.covers(day));
  }

  add(view: BlockView): void {
    const { day } = view.block.days[0]!;
    const matches = new Map<Selection, Matches>();
    for (const selection of [...this.steps, ...(this.filter ? [this.filter] : [])])
      if (!matches.has(selection)) matches.set(selection, selection.of(view));
    const steps = this.steps.map((step) => matches.get(step)!);
    const selected = this.filter ? [matches.get(this.filter)!] : [];
    for (const [scan, range] of [
      [this.scan, this.request.range],
      [this.previous, this.request.previous],
    ] as const) {
      if (!scan || !range || !scan.covers(day)) continue;
      const shown = shownHits(view, range, this.seen);
      scan.add(view, { bits: stepBits(view, steps, [...selected, { hits: shown }]), shown });
    }
    this.tools.memory.reserve(this.details.bytes);
  }

  partial(): PartialFunnel {
    const { scan, previous, isMerged } = this;
    return {
      visitors: scan.visitors,
      previous: previous?.visitors,
      ...this.details.partial(),
      isMerged,
    };
  }

  addPartial(counted: PartialFunnel): void {
    this.othersAreMerged ||= counted.isMerged;
    this.scan.addPartial(counted.visitors);
    if (counted.previous) this.previous!.addPartial(counted.previous);
    this.details.addPartial(counted);
    this.tools.memory.reserve(this.details.bytes);
  }

  result(): FunnelCounts {
    const { asker, field } = this.request;
    this.comparedByFilter.expectWhole('filters', asker);
    this.comparedBySteps.expectWhole(field, asker);
    const { visitors } = this.scan;
    return {
      steps: visitors.map((count, step) => ({
        visitors: count,
        previous: this.previous?.visitors[step],
        ...this.details.ofStep(step),
      })),
      breakdown: this.request.breakdown ? this.details.breakdown() : [],
    };
  }
}

/** The steps that each hit can be. Only hits that pass all further lists can be one. */
function stepBits(view: BlockView, steps: Matches[], further: Matches[]): Uint8Array {
  const { hits } = view.block;
  const bits = view.bytesFor(hits);
  for (const [step, { visitors, hits: list }] of steps.entries()) {
    if (list) setBit(bits, list, step);
    else setAll(bits, step);
    if (visitors) clearOthers(view, bits, visitors, 1 << step);
  }
  for (const { visitors, hits: list } of further) {
    if (list) clearZeros(bits, list);
    if (visitors) clearOthers(view, bits, visitors, ~0);
  }
  return bits;
}

function setAll(bits: Uint8Array, step: number): void {
  for (let hit = 0; hit < bits.length; hit++) bits[hit]! |= 1 << step;
}

/** Clears some bits of the hits of visitors with a zero. */
function clearOthers({ block }: BlockView, bits: Uint8Array, visitors: Uint8Array, cleared: number): void {
  const { begins } = block;
  for (let visitor = 0; visitor < visitors.length; visitor++)
    if (visitors[visitor] === 0)
      for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++) bits[hit]! &= ~cleared;
}
