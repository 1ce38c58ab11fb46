import type { Range } from '../plan/hit-query';
import { hasDay } from '../plan/range-days';
import type { BlockView, Visits } from '../select/block-view';
import { type FindChain, openChain, type SteppedHits, strictChain } from './chains';
import type { FunnelDetails } from './funnel-details';
import type { FunnelRequest } from './funnel-request';
import { startersIn } from './step-bits';

/** A funnel over one range. Each visitor of a day counts once, with the steps of the furthest chain. */
export class FunnelScan {
  /** The visitors of each step. */
  readonly visitors: number[];
  private readonly find: FindChain;
  private readonly isOfDay: boolean;
  /** The hits of the furthest chain of a visitor, and room for another one. */
  private furthest: Uint32Array;
  private other: Uint32Array;

  constructor(
    { steps, order, within }: FunnelRequest,
    private readonly range: Range,
    private readonly details?: FunnelDetails,
  ) {
    this.visitors = steps.map(() => 0);
    this.find = order === 'open' ? openChain : strictChain;
    this.isOfDay = within === 'day';
    [this.furthest, this.other] = [new Uint32Array(steps.length), new Uint32Array(steps.length)];
  }

  covers(day: number): boolean {
    return hasDay(this.range, day);
  }

  add(view: BlockView, hits: SteppedHits): void {
    const starters = startersIn(view, hits.bits);
    if (!starters.includes(1)) return;
    const visits = view.visitsOf(starters);
    const addDetails = this.details?.adding(view, visits, hits.shown);
    for (let visitor = 0; visitor < starters.length; visitor++) {
      if (starters[visitor] === 0) continue;
      const length = this.isOfDay
        ? this.chainOfDay(hits, view, visitor)
        : this.chainOfVisits(hits, visits, visitor);
      for (let step = 0; step < length; step++) this.visitors[step]! += 1;
      addDetails?.(visitor, this.furthest, length);
    }
  }

  private chainOfDay(hits: SteppedHits, { block: { begins } }: BlockView, visitor: number): number {
    return this.find(hits, begins[visitor]!, begins[visitor + 1]!, this.visitors.length, this.furthest);
  }

  /** Of several visits that reach as far, the first one. */
  private chainOfVisits(hits: SteppedHits, { begins, ofVisitors }: Visits, visitor: number): number {
    let length = 0;
    for (let visit = ofVisitors[visitor]!; visit < ofVisitors[visitor + 1]!; visit++) {
      const own = this.find(hits, begins[visit]!, begins[visit + 1]!, this.visitors.length, this.other);
      if (own <= length) continue;
      length = own;
      [this.furthest, this.other] = [this.other, this.furthest];
    }
    return length;
  }
}
