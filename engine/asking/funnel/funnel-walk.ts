import { originOf } from '../../questions/parse/names';
import type { Values } from '../../questions/plan/derived';
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
import { stepBits } from './step-bits';

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
